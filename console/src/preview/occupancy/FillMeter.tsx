// Bar that shows how full a part of a coach is.
import { Box } from "@mui/material";
import { hatchedBackground } from "../../ui/chart/lazyChart.tsx";
import { barColors } from "./fill-colors.ts";
import { type OccupancyCount, formatOccupancy, shareOf, fillStepOf } from "./occupancy.ts";

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

/** Renders nothing without a capacity, and a hatched bar if the number of people is unknown. */
export function FillMeter({ label, filled }: { label: string; filled: OccupancyCount }) {
  const { persons, capacity } = filled;
  const step = fillStepOf(filled);
  if (capacity === 0) return null;
  if (persons === null || step === "unknown") return <Box aria-hidden sx={{ ...track, ...hatchedBackground }} />;
  return (
    <Box
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={capacity}
      aria-valuenow={Math.min(persons, capacity)}
      aria-valuetext={formatOccupancy(filled)}
      sx={track}
    >
      <Box
        style={{ width: `${Math.min(1, shareOf(filled) ?? 0) * 100}%`, backgroundColor: barColors[step] }}
        sx={{ height: 1 }}
      />
    </Box>
  );
}
