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
import { seriesColorIndex, type Series, shadeColors, type Slot } from "./slots.ts";
import { labelsAt, placeMarks, type Shade, type SlotSpan, spansOf } from "./spans.ts";
import { formatNumber } from "../text/numbers.ts";

/** With more slots, the plot draws lines, because bars would be thinner than the gaps between them. */
const mostBars = 124;
const tickPx = 64;
/** Width inside a card on A4 paper (210 mm) with margins of 10 mm. */
const paperPx = 680;

const axisPx = 28;

type CountPlotProps = {
  series: readonly Series[];
  slots: readonly Slot[];
  shades: readonly Shade[];
  marks: readonly SlotSpan[];
  /** Height below the axis for the labels of marks; part of `height`. */
  marksPx: number;
  height: number;
};

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

/** Highest value of the visible series. */
const highestOf = (series: readonly Series[], slots: readonly Slot[]) =>
  slots.reduce(
    (most, { values }) =>
      Math.max(most, ...values.map((value, index) => (series[index]?.isHidden === true ? 0 : (value ?? 0)))),
    0,
  );

/** Title of the tooltip. */
const titleOf = (slots: readonly Slot[], spans: readonly SlotSpan[], index: number) =>
  [slots[index]?.label, ...labelsAt(spans, index)].join(" · ");

function Plot({ series, slots, shades, marks, marksPx, height, width }: CountPlotProps & { width: number }) {
  const { primary, info, text, divider } = useTheme().vars.palette;
  const indexOf = new Map(slots.map(({ at }, index) => [at, index]));
  const top = highestOf(series, slots);
  const asBars = slots.length <= mostBars;
  const colors = { loud: [primary.main, info.light], quiet: [text.secondary, text.disabled] };
  const valueOf = (value: number | null, { dataIndex }: { dataIndex: number }) => {
    if (value !== null) return formatNumber(value);
    return slots[dataIndex]?.gap === "unknown" ? "unknown" : "";
  };
  const drawnSeries = series.flatMap(({ name, quiet = false, isHidden = false }, index) => {
    if (isHidden) return [];
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
            index === 0 && dataIndex === peak && value !== null && value > 0 ? formatNumber(value) : null,
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
      margin={{ top: 18, right: 4, bottom: marksPx, left: 0 }}
      series={drawnSeries}
      xAxis={[
        {
          id: "time",
          scaleType: "band",
          data: slots.map(({ at }) => at),
          valueFormatter: (at: string, context) =>
            context.location === "tick"
              ? (slots[indexOf.get(at) ?? 0]?.tick ?? "")
              : titleOf(slots, [...shades, ...marks], indexOf.get(at) ?? 0),
          tickInterval: shownTicks(slots, width),
          tickPlacement: "middle",
          disableTicks: true,
          height: axisPx,
        },
      ]}
      yAxis={[
        {
          id: "people",
          min: 0,
          ...(top === 0 ? { max: 1 } : {}),
          tickNumber: Math.max(2, Math.round(height / 70)),
          tickMinStep: 1,
          valueFormatter: (value: number) => formatNumber(value),
          disableLine: true,
          disableTicks: true,
          width: 20 + 7 * formatNumber(top).length,
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
      <Shades slots={slots} shades={shades} />
      <ChartsGrid horizontal />
      <Unknown slots={slots} />
      <BarPlot skipAnimation borderRadius={slots.length > 48 ? 1 : 2} />
      <LinePlot skipAnimation />
      <MarkPlot />
      <ChartsAxisHighlight x="band" />
      <ChartsTooltip trigger="axis" />
      <ChartsXAxis axisId="time" />
      <ChartsYAxis axisId="people" />
      <Marks slots={slots} marks={marks} />
    </ChartsContainer>
  );
}

/** Returns the left and right edge of a span, without gaps between adjacent slots. */
function useEdges(slots: readonly Slot[]) {
  const scale = useXScale<"band">();
  const step = scale.step();
  const left = (index: number) => (scale(slots[index]?.at ?? "") ?? 0) - (step - scale.bandwidth()) / 2;
  return ({ first, last }: Pick<SlotSpan, "first" | "last">) => ({ from: left(first), to: left(last) + step });
}

function Shades({ slots, shades }: Pick<CountPlotProps, "slots" | "shades">) {
  const edges = useEdges(slots);
  const { top, height } = useDrawingArea();
  return shades.map((shade) => {
    const { from, to } = edges(shade);
    return (
      <rect
        key={`${shade.label} ${shade.first}`}
        x={from}
        y={top}
        width={to - from}
        height={height}
        style={{ fill: shadeColors[shade.tone] }}
      />
    );
  });
}

/** A line under each mark's slots, and its label. */
function Marks({ slots, marks }: Pick<CountPlotProps, "slots" | "marks">) {
  const edges = useEdges(slots);
  const { left, top, width, height } = useDrawingArea();
  const { text } = useTheme().vars.palette;
  const y = top + height + axisPx;
  return placeMarks(marks, left + width, edges).map(({ from, to, text: words, anchor }, index) => (
    <g key={index}>
      <line x1={from + 1} x2={to - 1} y1={y} y2={y} stroke={text.secondary} strokeWidth="2" strokeLinecap="round" />
      <text x={anchor === "end" ? to : from} y={y + 15} textAnchor={anchor} fontSize="0.75rem" fill={text.secondary}>
        {words}
      </text>
    </g>
  ));
}

/** Hatches unknown slots, with one rectangle for adjacent slots. */
function Unknown({ slots }: { slots: readonly Slot[] }) {
  const edges = useEdges(slots);
  const { top, height } = useDrawingArea();
  const pattern = useId();
  const { text } = useTheme().vars.palette;
  const runs = spansOf(slots, ({ gap }) => (gap === "unknown" ? gap : null)).map(edges);
  if (runs.length === 0) return null;
  return (
    <g>
      <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line x1="0" y1="0" x2="0" y2="6" stroke={text.disabled} strokeWidth="1.5" opacity="0.55" />
      </pattern>
      {runs.map(({ from, to }) => (
        <rect key={from} x={from} y={top} width={to - from} height={height} fill={`url(#${pattern})`} />
      ))}
    </g>
  );
}
