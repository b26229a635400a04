// The bars of a chart of slots as the chart library draws them; pointed at, a slot says its numbers.
import { BarChart } from "@mui/x-charts/BarChart";
import { useTheme } from "@mui/material/styles";
import type { Slot } from "./HourBars.tsx";

const count = new Intl.NumberFormat("en");

type BarsPlotProps = { series: readonly string[]; slots: readonly Slot[]; height: number };

export function BarsPlot({ series, slots, height }: BarsPlotProps) {
  const { primary, info } = useTheme().vars.palette;
  const labels = new Map(slots.map(({ at, label }) => [at, label]));
  const isEmpty = slots.every(({ values }) => values.every((value) => (value ?? 0) === 0));
  return (
    <BarChart
      height={height}
      margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
      grid={{ horizontal: true }}
      xAxis={[
        {
          scaleType: "band",
          data: slots.map(({ at }) => at),
          valueFormatter: (at: string) => labels.get(at) ?? "",
          tickLabelInterval: (_, index) => index % 6 === 0,
          disableTicks: true,
          height: 28,
        },
      ]}
      yAxis={[
        {
          min: 0,
          ...(isEmpty ? { max: 1 } : {}),
          tickNumber: 2,
          tickMinStep: 1,
          valueFormatter: (value: number) => count.format(value),
          disableLine: true,
          disableTicks: true,
        },
      ]}
      series={series.map((label, index) => ({
        label,
        data: slots.map(({ values }) => values[index] ?? null),
        color: [primary.main, info.light][index] ?? primary.main,
        valueFormatter: (value) => (value === null ? "unknown" : count.format(value)),
      }))}
      borderRadius={2}
      hideLegend
      skipAnimation
      disableKeyboardNavigation
    />
  );
}
