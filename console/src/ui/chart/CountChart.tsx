// Chart of counts per time slot, with a legend and the same numbers as a table. Unknown slots are hatched and future slots are
// empty, to distinguish both from zero. Spans of slots may be shaded, or marked with a label below the axis.
import { Box, Button } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type ReactNode, useState } from "react";
import { lazyChart, hatchedBackground, Swatch } from "./lazyChart.tsx";
import { seriesColorIndex, type Series, seriesColors, shadeColors, type Slot, type TableColumn } from "./slots.ts";
import { NumberTable } from "./NumberTable.tsx";
import { labelsAt, type Shade, type SlotSpan } from "./spans.ts";
import { formatNumber } from "../text/numbers.ts";

export type CountChartProps = {
  /** Accessible name, e.g. "People per hour today". */
  label: string;
  /** In the order of each slot's `values`; at most two prominent and two quiet series. */
  series: readonly Series[];
  slots: readonly Slot[];
  /** Spans with a shaded background, explained in the legend. */
  shades?: readonly Shade[];
  /** Spans named below the axis. */
  marks?: readonly SlotSpan[];
  /** More columns of the table. */
  columns?: readonly TableColumn[];
  /** Title of the table's first column. */
  slotName: string;
  height?: number;
  /** Rendered beside the legend. */
  actions?: ReactNode;
};

const legendText = { unknown: "Unknown" };

const CountPlot = lazyChart(() => import("./CountPlot.tsx").then(({ CountPlot }) => CountPlot));

const noSpans: readonly [] = [];
/** Height of the line with the labels of marks. */
const marksPx = 20;

export function CountChart(props: CountChartProps) {
  const { label, series, slots, shades = noSpans, marks = noSpans, actions } = props;
  const height = (props.height ?? 156) + (marks.length === 0 ? 0 : marksPx);
  const [asTable, setAsTable] = useState(false);
  return (
    <Box component="figure" aria-label={label} sx={{ m: 0, minWidth: 0 }}>
      <Box
        component="figcaption"
        sx={{
          display: "flex",
          flexWrap: "wrap",
          alignItems: "center",
          columnGap: 4,
          rowGap: 1,
          mb: 3,
          color: "text.secondary",
        }}
      >
        {series.map(({ name, quiet = false, isHidden = false }, index) =>
          isHidden ? null : (
            <Entry key={name}>
              {quiet ? (
                <Dashes
                  aria-hidden
                  sx={{ borderColor: seriesColors.quiet[seriesColorIndex(series, index)] }}
                  style={{ borderStyle: seriesColorIndex(series, index) === 0 ? "dashed" : "dotted" }}
                />
              ) : (
                <Swatch aria-hidden sx={{ bgcolor: seriesColors.loud[seriesColorIndex(series, index)] }} />
              )}
              {name}
            </Entry>
          ),
        )}
        {slots.some(({ gap }) => gap === "unknown") ? (
          <Entry>
            <Swatch aria-hidden sx={hatchedBackground} />
            {legendText.unknown}
          </Entry>
        ) : null}
        {[...new Map(shades.map((shade) => [shade.label, shade.tone]))].map(([name, tone]) => (
          <Entry key={name}>
            <Swatch aria-hidden sx={{ bgcolor: shadeColors[tone], outline: 1, outlineColor: "divider" }} />
            {name}
          </Entry>
        ))}
        <Box sx={{ ml: "auto", display: "flex", flexWrap: "wrap", gap: 1 }}>
          {actions}
          <Button size="small" color="inherit" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            {asTable ? "Show chart" : "Show table"}
          </Button>
        </Box>
      </Box>
      {asTable ? (
        <SlotTable {...props} />
      ) : (
        <Box aria-hidden sx={{ height }}>
          <CountPlot
            series={series}
            slots={slots}
            shades={shades}
            marks={marks}
            marksPx={marks.length === 0 ? 0 : marksPx}
            height={height}
          />
        </Box>
      )}
    </Box>
  );
}

const Entry = styled("span")(({ theme }) => ({
  display: "inline-flex",
  alignItems: "center",
  gap: theme.spacing(2),
  whiteSpace: "nowrap",
}));

const Dashes = styled("span")({ width: 16, borderTopWidth: 2, borderBottom: 0, borderInline: 0 });

/** Four months of hours; more rows are shown on demand. */
const rowsAtOnce = 3000;

function SlotTable(props: CountChartProps) {
  const { series, slots, shades = noSpans, marks = noSpans, columns = noSpans, slotName, label, height = 156 } = props;
  const [shown, setShown] = useState(rowsAtOnce);
  const spans = [...shades, ...marks];
  return (
    <Box
      tabIndex={0}
      role="region"
      aria-label={`${label}, table`}
      sx={{
        maxHeight: Math.max(240, height),
        overflow: "auto",
        // Prints every row, with the table head on every page.
        "@media print": { maxHeight: "none", overflow: "visible" },
      }}
    >
      <NumberTable
        heads={[slotName, ...[...series, ...columns].map(({ name }) => name)]}
        rows={slots.slice(0, shown).map((slot, index) => ({
          key: slot.at,
          note: labelsAt(spans, index).join(", "),
          cells: [
            slot.label,
            ...slot.values.map((value) => cellText(value, slot)),
            ...columns.map(({ cells }) => cells[index] ?? ""),
          ],
        }))}
      />
      {slots.length > shown ? (
        <Button color="inherit" onClick={() => setShown(slots.length)} sx={{ my: 2 }}>
          {`Show all ${formatNumber(slots.length)} rows`}
        </Button>
      ) : null}
    </Box>
  );
}

/** Empty if there is nothing to know, a dash if it is unknown. */
function cellText(value: number | null, { gap }: Slot): string {
  if (value !== null) return formatNumber(value);
  return gap === "ahead" || gap === "none" ? "" : "–";
}
