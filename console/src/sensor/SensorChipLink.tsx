// Chip that links to a sensor and shows its state, id and type.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, Link } from "@mui/material";
import { useLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { LiveValue } from "../ui/feedback/LiveValue.tsx";
import { Mono } from "../ui/Mono.tsx";
import { SensorState } from "./SensorState.tsx";

export function SensorChipLink({ sensor }: { sensor: Sensor }) {
  return (
    <Link
      {...useLink(paths.sensorGeneral(sensor.type, sensor._id), "dropList")}
      color="inherit"
      underline="none"
      sx={{
        display: "flex",
        alignItems: "center",
        gap: 3,
        px: 3,
        py: 1,
        minHeight: 36,
        border: 1,
        borderColor: "divider",
        borderRadius: "6px",
        "&:hover": { bgcolor: "action.hover" },
        "@media (pointer: coarse)": { minHeight: 44 },
      }}
    >
      <LiveValue>
        <SensorState presence={sensor.scomState} timeZone={sensor.measurement?.location.timezone ?? null} iconOnly />
      </LiveValue>
      <Mono>{sensor._id}</Mono>
      <Box component="span" sx={{ ml: "auto", color: "text.secondary" }}>
        {sensor.type}
      </Box>
    </Link>
  );
}
