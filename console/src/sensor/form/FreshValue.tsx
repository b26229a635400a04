// Below a field being edited: somebody else saved another value meanwhile, and one click takes it.
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { sensorPageText } from "../sensor-page.text.ts";

/** Props: `label` of the field, `value` in words, `onTake`. */
export function FreshValue({ label, value, onTake }: { label: string; value: string; onTake: () => void }) {
  return (
    <Box
      role="status"
      sx={{ mt: -2, display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 2, color: "warning.main" }}
    >
      <Box component="span" sx={{ minWidth: 0, overflowWrap: "anywhere" }}>
        {sensorPageText.freshValue(value)}
      </Box>
      <Button size="small" color="inherit" onClick={onTake}>
        {sensorPageText.takeFresh(label)}
      </Button>
    </Box>
  );
}
