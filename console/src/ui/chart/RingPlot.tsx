// Draws the ring of a doughnut with the chart library.
import { PieChart } from "@mui/x-charts/PieChart";
import { useTheme } from "@mui/material/styles";
import type { DoughnutPart } from "./Doughnut.tsx";

const size = 112;
const ring = { innerRadius: 38, outerRadius: 52, paddingAngle: 1 };

export function RingPlot({ parts }: { parts: readonly DoughnutPart[] }) {
  const { divider } = useTheme().vars.palette;
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  // Enlarges tiny parts, so that all nonzero parts are visible.
  const shown = parts.flatMap(({ label, color, count }) =>
    count === 0 ? [] : [{ label, color, value: Math.max(count, total / 250) }],
  );
  return (
    <PieChart
      width={size}
      height={size}
      margin={0}
      series={[{ ...ring, data: total === 0 ? [{ value: 1, color: divider }] : shown }]}
      slotProps={{ tooltip: { trigger: "none" } }}
      hideLegend
      skipAnimation
      disableKeyboardNavigation
    />
  );
}
