// Numbers per slot of time as bars or lines from zero, with a legend in words, and the same as a table. What is unknown is
// hatched, what has not begun is empty: neither is a zero.
import { Box, Button } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type ReactNode, useState } from "react";
import { drawn, hatched, Swatch } from "./drawn.tsx";
import { placeOf, type Series, seriesColors, type Slot } from "./slots.ts";
import { NumberTable } from "./NumberTable.tsx";

export type CountChartProps = {
  /** Names the chart, e.g. "People per hour today". */
  label: string;
  /** One per value; of a kind at most two. */
  series: readonly Series[];
  slots: readonly Slot[];
  /** Heads the first column of the table. */
  slotName: string;
  height?: number;
  /** Beside the legend. */
  actions?: ReactNode;
};

const count = new Intl.NumberFormat("en");
const legendText = { unknown: "Unknown" };

const CountPlot = drawn(() => import("./CountPlot.tsx").then(({ CountPlot }) => CountPlot));

export function CountChart(props: CountChartProps) {
  const { label, series, slots, actions, height = 156 } = props;
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
        {series.map(({ name, quiet = false }, index) => (
          <Entry key={name}>
            {quiet ? (
              <Dashes
                aria-hidden
                sx={{ borderColor: seriesColors.quiet[placeOf(series, index)] }}
                style={{ borderStyle: placeOf(series, index) === 0 ? "dashed" : "dotted" }}
              />
            ) : (
              <Swatch aria-hidden sx={{ bgcolor: seriesColors.loud[placeOf(series, index)] }} />
            )}
            {name}
          </Entry>
        ))}
        {slots.some(({ gap }) => gap === "unknown") ? (
          <Entry>
            <Swatch aria-hidden sx={hatched} />
            {legendText.unknown}
          </Entry>
        ) : null}
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
          <CountPlot series={series} slots={slots} height={height} />
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

/** Four months of hours; a year of them comes when it is asked for. */
const rowsAtOnce = 3000;

function SlotTable({ series, slots, slotName, label, height = 156 }: CountChartProps) {
  const [shown, setShown] = useState(rowsAtOnce);
  return (
    <Box
      tabIndex={0}
      role="region"
      aria-label={`${label}, table`}
      sx={{
        maxHeight: Math.max(240, height),
        overflow: "auto",
        // All of it, its head on every page.
        "@media print": { maxHeight: "none", overflow: "visible" },
      }}
    >
      <NumberTable
        heads={[slotName, ...series.map(({ name }) => name)]}
        rows={slots.slice(0, shown).map((slot) => ({
          key: slot.at,
          cells: [slot.label, ...slot.values.map((value) => cellText(value, slot))],
        }))}
      />
      {slots.length > shown ? (
        <Button color="inherit" onClick={() => setShown(slots.length)} sx={{ my: 2 }}>
          {`Show all ${count.format(slots.length)} rows`}
        </Button>
      ) : null}
    </Box>
  );
}

/** What has not begun is left out, what is unknown is a dash. */
function cellText(value: number | null, { gap }: Slot): string {
  if (value !== null) return count.format(value);
  return gap === "ahead" ? "" : "–";
}
