// Small chart with a legend and a summary; the same data is available as a table.
import { Box, Button } from "@mui/material";
import { type ReactNode, useState } from "react";
import { issueDialogText as text } from "../issue.text.ts";
import { bandStyle, barStyle, highlightStyle, lineStyle } from "./looks.ts";
import { NumberTable } from "../../ui/chart/NumberTable.tsx";

type LegendStyle = "bar" | "highlight" | "band" | "line";
const legendStyles = { bar: barStyle, highlight: highlightStyle, band: bandStyle, line: lineStyle } as const;

type ChartWithTableProps = {
  label: string;
  legend: readonly { name: string; style: LegendStyle }[];
  note?: string;
  heads: readonly string[];
  rows: readonly (readonly string[])[];
  children: ReactNode;
};

export function ChartWithTable({ label, legend, note, heads, rows, children }: ChartWithTableProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <Box component="figure" aria-label={label} sx={{ m: 0, minWidth: 0 }}>
      <Box
        component="figcaption"
        sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 4, mb: 2, color: "text.secondary" }}
      >
        <Box component="span" sx={{ color: "text.primary" }}>
          {label}
        </Box>
        {legend.map(({ name, style }) => (
          <Box component="span" key={name} sx={{ display: "inline-flex", alignItems: "center", gap: 2 }}>
            <Box
              component="span"
              aria-hidden
              sx={[{ width: 12, height: style === "line" ? 0 : 10 }, legendStyles[style]]}
            />
            {name}
          </Box>
        ))}
        <Button
          size="small"
          color="inherit"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
          sx={{ ml: "auto" }}
        >
          {asTable ? text.showChart : text.showTable}
        </Button>
      </Box>
      {asTable ? (
        <Box tabIndex={0} role="region" aria-label={`${label}, table`} sx={{ maxHeight: 240, overflow: "auto" }}>
          <NumberTable heads={heads} rows={rows.map((cells, key) => ({ key, cells }))} />
        </Box>
      ) : (
        <Box aria-hidden>{children}</Box>
      )}
      {note === undefined ? null : <Box sx={{ mt: 2 }}>{note}</Box>}
    </Box>
  );
}
