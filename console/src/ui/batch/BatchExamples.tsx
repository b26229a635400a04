// Some of the selected objects with their value now and afterwards, in a batch dialog.
import { Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import type { ReactNode } from "react";
import { Ellipsis } from "../Ellipsis.tsx";
import { formatNumber } from "../text/numbers.ts";

/** On phones the name is above the values, because three columns don't fit. */
const examplesLook = {
  tableLayout: "fixed",
  "& th, & td": { py: 1.5 },
  "& tr:last-of-type td": { borderBottom: 0 },
  "& tr": { display: { xs: "grid", sm: "table-row" }, gridTemplateColumns: "1fr 1fr" },
  "& tr > :first-of-type": { gridColumn: "1 / -1", borderBottomWidth: { xs: 0, sm: 1 } },
} as const;

const text = {
  label: "Examples",
  afterwards: "Afterwards",
  more: (count: number) => `and ${formatNumber(count)} more`,
};

type BatchExamplesProps = {
  /** Headers of the object and of its present value. */
  head: readonly [object: string, now: string];
  /** `name` is an element if it isn't plain text. */
  rows: readonly { id: string; name: ReactNode; now: string; afterwards: string }[];
  /** Number of selected objects. */
  count: number;
};

export function BatchExamples({ head, rows, count }: BatchExamplesProps) {
  if (rows.length === 0) return null;
  return (
    <Table size="small" aria-label={text.label} sx={examplesLook}>
      <TableHead>
        <TableRow>
          <TableCell sx={{ width: 168 }}>{head[0]}</TableCell>
          <TableCell>{head[1]}</TableCell>
          <TableCell>{text.afterwards}</TableCell>
        </TableRow>
      </TableHead>
      <TableBody>
        {rows.map(({ id, name, now, afterwards }) => (
          <TableRow key={id}>
            <TableCell>{typeof name === "string" ? <Ellipsis>{name}</Ellipsis> : name}</TableCell>
            <TableCell>
              <Ellipsis>{now}</Ellipsis>
            </TableCell>
            <TableCell>
              <Ellipsis>{afterwards}</Ellipsis>
            </TableCell>
          </TableRow>
        ))}
        {count > rows.length ? (
          <TableRow>
            <TableCell colSpan={3} sx={{ color: "text.secondary" }}>
              {text.more(count - rows.length)}
            </TableCell>
          </TableRow>
        ) : null}
      </TableBody>
    </Table>
  );
}
