// How full something is, as a bar.
import { Box } from "@mui/material";
import { hatched } from "../../ui/chart/drawn.tsx";
import { barColors } from "./fill-colors.ts";
import { type Filled, filledWords, shareOf, stepOf } from "./occupancy.ts";

const track = {
  height: 10,
  minWidth: 64,
  borderRadius: "5px",
  overflow: "hidden",
  bgcolor: "action.disabledBackground",
  outline: 1,
  outlineColor: "divider",
  forcedColorAdjust: "none",
} as const;

/** Nothing where there are no places; a bar without a value where it is not known. */
export function FillMeter({ label, filled }: { label: string; filled: Filled }) {
  const { persons, capacity } = filled;
  const step = stepOf(filled);
  if (capacity === 0) return null;
  if (persons === null || step === "unknown") return <Box aria-hidden sx={{ ...track, ...hatched }} />;
  return (
    <Box
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={capacity}
      aria-valuenow={Math.min(persons, capacity)}
      aria-valuetext={filledWords(filled)}
      sx={track}
    >
      <Box
        style={{ width: `${Math.min(1, shareOf(filled) ?? 0) * 100}%`, backgroundColor: barColors[step] }}
        sx={{ height: 1 }}
      />
    </Box>
  );
}
