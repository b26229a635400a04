// Name–value pairs, one per line.
import { Box } from "@mui/material";
import { Fragment, type ReactNode } from "react";

export type Facts = readonly (readonly [label: string, value: ReactNode])[];

type FactListProps = { facts: Facts; columns?: string; columnGap?: number };

export function FactList({ facts, columns = "max-content 1fr", columnGap = 6 }: FactListProps) {
  const grid = { m: 0, display: "grid", gridTemplateColumns: columns, columnGap, rowGap: 2 };
  return (
    <Box
      component="dl"
      sx={{ ...grid, "& dt": { color: "text.secondary" }, "& dd": { m: 0, minWidth: 0, overflowWrap: "anywhere" } }}
    >
      {facts.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </Box>
  );
}
