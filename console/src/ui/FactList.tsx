// Names and values, one pair to a line.
import Box from "@mui/material/Box";
import { Fragment, type ReactNode } from "react";

export type Facts = readonly (readonly [label: string, value: ReactNode])[];

export function FactList({
  facts,
  columns = "max-content 1fr",
  columnGap = 6,
}: {
  facts: Facts;
  columns?: string;
  columnGap?: number;
}) {
  return (
    <Box component="dl" sx={{ m: 0, display: "grid", gridTemplateColumns: columns, columnGap, rowGap: 2 }}>
      {facts.map(([label, value]) => (
        <Fragment key={label}>
          <Box component="dt" sx={{ color: "text.secondary" }}>
            {label}
          </Box>
          <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: "anywhere" }}>
            {value}
          </Box>
        </Fragment>
      ))}
    </Box>
  );
}
