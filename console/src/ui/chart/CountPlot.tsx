// Draws bars and lines with the chart library; hovering a slot shows its numbers.
import { BarPlot } from "@mui/x-charts/BarChart";
import { ChartsAxisHighlight } from "@mui/x-charts/ChartsAxisHighlight";
import { ChartsContainer } from "@mui/x-charts/ChartsContainer";
import { ChartsGrid } from "@mui/x-charts/ChartsGrid";
import { ChartsTooltip } from "@mui/x-charts/ChartsTooltip";
import { ChartsXAxis } from "@mui/x-charts/ChartsXAxis";
import { ChartsYAxis } from "@mui/x-charts/ChartsYAxis";
import { useDrawingArea, useXScale } from "@mui/x-charts/hooks";
import { LinePlot, MarkPlot } from "@mui/x-charts/LineChart";
import { useTheme } from "@mui/material/styles";
import { flushSync } from "react-dom";
import { startTransition, useId, useLayoutEffect, useRef, useState } from "react";
import { seriesColorIndex, type Series, type Slot } from "./slots.ts";

const count = new Intl.NumberFormat("en");
/** With more slots, the plot draws lines, because bars would be thinner than the gaps between them. */
const mostBars = 124;
const tickPx = 64;
/** Width inside a card on A4 paper (210 mm) with margins of 10 mm. */
const paperPx = 680;

type CountPlotProps = { series: readonly Series[]; slots: readonly Slot[]; height: number };

export function CountPlot(props: CountPlotProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = ref.current;
    if (box === null) return;
    // Drawing a chart is slow; a transition keeps the page responsive.
    const measure = () => startTransition(() => setWidth(Math.floor(box.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    // Browsers lay out print pages synchronously, so the chart must shrink beforehand.
    const toPaper = () => flushSync(() => setWidth((before) => Math.min(before, paperPx)));
    window.addEventListener("beforeprint", toPaper);
    window.addEventListener("afterprint", measure);
    return () => {
      observer.disconnect();
      window.removeEventListener("beforeprint", toPaper);
      window.removeEventListener("afterprint", measure);
    };
  }, []);
  return (
    <div ref={ref} style={{ height: props.height, overflow: "hidden" }}>
      {width === 0 ? null : <Plot {...props} width={width} />}
    </div>
  );
}

/** Keeps every second, fourth or eighth tick, so that the labels fit. */
function shownTicks(slots: readonly Slot[], width: number): string[] {
  const ticks = slots.filter(({ tick }) => tick !== undefined);
  let every = 1;
  while (ticks.length / every > width / tickPx) every *= 2;
  return ticks.filter((_, index) => index % every === 0).map(({ at }) => at);
}

function Plot({ series, slots, height, width }: CountPlotProps & { width: number }) {
  const { primary, info, text, divider } = useTheme().vars.palette;
  const byAt = new Map(slots.map((slot) => [slot.at, slot]));
  const top = slots.reduce((most, { values }) => Math.max(most, ...values.map((value) => value ?? 0)), 0);
  const asBars = slots.length <= mostBars;
  const colors = { loud: [primary.main, info.light], quiet: [text.secondary, text.disabled] };
  const valueOf = (value: number | null, { dataIndex }: { dataIndex: number }) => {
    if (value !== null) return count.format(value);
    return slots[dataIndex]?.gap === "ahead" ? "" : "unknown";
  };
  const drawnSeries = series.map(({ name, quiet = false }, index) => {
    const place = seriesColorIndex(series, index);
    const data = slots.map(({ values }) => values[index] ?? null);
    const isAlone = (at: number) =>
      data[at] !== null && (data[at - 1] ?? null) === null && (data[at + 1] ?? null) === null;
    const base = { id: `${quiet ? "quiet" : "loud"}${place}`, label: name, data, valueFormatter: valueOf };
    const color = colors[quiet ? "quiet" : "loud"][place] ?? primary.main;
    // The highest bar of the first series gets a label.
    const peak = data.indexOf(Math.max(...data.map((value) => value ?? 0)));
    return asBars && !quiet
      ? {
          ...base,
          color,
          type: "bar" as const,
          barLabelPlacement: "outside" as const,
          barLabel: ({ dataIndex, value }: { dataIndex: number; value: number | null }) =>
            index === 0 && dataIndex === peak && value !== null && value > 0 ? count.format(value) : null,
        }
      : {
          ...base,
          color,
          type: "line" as const,
          curve: "linear" as const,
          // A single value between two gaps has no visible line, so it gets a mark.
          showMark: ({ index: at }: { index: number }) => isAlone(at),
        };
  });
  return (
    <ChartsContainer
      width={width}
      height={height}
      margin={{ top: 18, right: 4, bottom: 0, left: 0 }}
      series={drawnSeries}
      xAxis={[
        {
          id: "time",
          scaleType: "band",
          data: slots.map(({ at }) => at),
          valueFormatter: (at: string, context) =>
            (context.location === "tick" ? byAt.get(at)?.tick : byAt.get(at)?.label) ?? "",
          tickInterval: shownTicks(slots, width),
          tickPlacement: "middle",
          disableTicks: true,
          height: 28,
        },
      ]}
      yAxis={[
        {
          id: "people",
          min: 0,
          ...(top === 0 ? { max: 1 } : {}),
          tickNumber: Math.max(2, Math.round(height / 70)),
          tickMinStep: 1,
          valueFormatter: (value: number) => count.format(value),
          disableLine: true,
          disableTicks: true,
          width: 20 + 7 * count.format(top).length,
        },
      ]}
      skipAnimation
      disableKeyboardNavigation
      sx={{
        "& .MuiChartsAxis-line": { stroke: divider },
        "& path[data-series]": { strokeWidth: 1.5 },
        '& [data-series="quiet0"]': { strokeDasharray: "5 3" },
        '& [data-series="quiet1"]': { strokeDasharray: "2 3" },
        "& .MuiBarChart-label": { fill: text.secondary, fontSize: "0.75rem" },
      }}
    >
      <ChartsGrid horizontal />
      <Unknown slots={slots} />
      <BarPlot skipAnimation borderRadius={slots.length > 48 ? 1 : 2} />
      <LinePlot skipAnimation />
      <MarkPlot />
      <ChartsAxisHighlight x="band" />
      <ChartsTooltip trigger="axis" />
      <ChartsXAxis axisId="time" />
      <ChartsYAxis axisId="people" />
    </ChartsContainer>
  );
}

/** Hatches unknown slots, with one rectangle for adjacent slots. */
function Unknown({ slots }: { slots: readonly Slot[] }) {
  const scale = useXScale<"band">();
  const { top, height } = useDrawingArea();
  const pattern = useId();
  const { text } = useTheme().vars.palette;
  const step = scale.step();
  const runs: { from: number; slots: number }[] = [];
  for (const [index, { gap, at }] of slots.entries()) {
    if (gap !== "unknown") continue;
    const last = runs.at(-1);
    if (last !== undefined && slots[index - 1]?.gap === "unknown") last.slots += 1;
    else runs.push({ from: (scale(at) ?? 0) - (step - scale.bandwidth()) / 2, slots: 1 });
  }
  if (runs.length === 0) return null;
  return (
    <g>
      <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line x1="0" y1="0" x2="0" y2="6" stroke={text.disabled} strokeWidth="1.5" opacity="0.55" />
      </pattern>
      {runs.map((run) => (
        <rect key={run.from} x={run.from} y={top} width={run.slots * step} height={height} fill={`url(#${pattern})`} />
      ))}
    </g>
  );
}
