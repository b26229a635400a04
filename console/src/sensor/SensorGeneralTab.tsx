// The General tab of every sensor type: whose it is, where it stands, what it runs, how it is grouped and registered (spec 2 §2, §5).
import { useParam } from "../navigation.tsx";
import { parseMac } from "@psp/contract/kit/ids.ts";
import Box from "@mui/material/Box";
import { SensorCounts } from "./SensorCounts.tsx";
import { SensorForm } from "./SensorForm.tsx";
import { useSensor } from "./sensor.queries.ts";

export function SensorGeneralTab() {
  const given = useParam("id");
  const { data: sensor, isPlaceholderData } = useSensor(parseMac(given) ?? given);
  if (sensor === undefined) return null;
  return (
    <Box
      sx={{
        display: "grid",
        gap: 4,
        alignItems: "start",
        gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 640px) minmax(300px, 1fr)" },
      }}
    >
      <SensorForm key={sensor._id} sensor={sensor} complete={!isPlaceholderData} />
      <SensorCounts sensor={sensor} />
    </Box>
  );
}
