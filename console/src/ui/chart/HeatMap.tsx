// A table of numbers whose cells are shaded by value; unknown cells are hatched. Every cell shows its number, so no information
// depends on color alone.
import { Box } from "@mui/material";
import { styled } from "@mui/material/styles";
import { useLayoutEffect, useRef } from "react";
import { hatchedBackground } from "./lazyChart.tsx";

type HeatMapProps = {
  /** Accessible name, e.g. "People in by weekday and hour". */
  label: string;
  rows: readonly string[];
  columns: readonly string[];
  /** By row and column; null if unknown. */
  values: readonly (readonly (number | null)[])[];
};

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const small = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
/** Share (%) of the primary color in the cell with the highest value. With more, text would be hard to read in one of the themes. */
const strongest = 46;

/** A column counts as empty if all its values are at most this share of the table's highest value, e.g. if only cleaners come. */
const emptyPart = 0.05;

/** Index of the first non-empty column; 0 if all are empty. */
function firstFilled({ columns, values }: HeatMapProps, top: number): number {
  const isFilled = (x: number) => values.some((row) => (row[x] ?? 0) > top * emptyPart);
  return Math.max(
    0,
    columns.findIndex((_, x) => isFilled(x)),
  );
}

/** If the table is wider than its box, scrolls to the column, unless the user has scrolled. */
function useScrolledTo(column: number) {
  const ref = useRef<HTMLDivElement>(null);
  const left = useRef(0);
  useLayoutEffect(() => {
    const box = ref.current;
    if (box === null || Math.abs(box.scrollLeft - left.current) > 1) return;
    const heads = box.querySelectorAll<HTMLElement>("thead th");
    // The sticky row titles cover the left edge.
    box.scrollLeft = (heads[column]?.offsetLeft ?? 0) - (heads[0]?.offsetLeft ?? 0);
    left.current = box.scrollLeft;
  }, [column]);
  return ref;
}

export function HeatMap(props: HeatMapProps) {
  const { label, rows, columns, values } = props;
  const top = Math.max(0, ...values.flat().map((value) => value ?? 0));
  const box = useScrolledTo(firstFilled(props, top));
  return (
    <Box
      ref={box}
      tabIndex={0}
      role="region"
      aria-label={`${label}, table`}
      sx={{ overflowX: "auto", minWidth: 0, "@media print": { overflow: "visible" } }}
    >
      <Cells aria-label={label}>
        <thead>
          <tr>
            <td />
            {columns.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, y) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {columns.map((column, x) => {
                const value = values[y]?.[x] ?? null;
                if (value === null)
                  return (
                    <Box component="td" key={column} sx={hatchedBackground}>
                      –
                    </Box>
                  );
                const part = top === 0 ? 0 : Math.round((value / top) * strongest);
                return (
                  <td key={column} style={{ "--part": `${part}%` } as object}>
                    {(value < 10 ? small : whole).format(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </Cells>
    </Box>
  );
}

const Cells = styled("table")(({ theme }) => ({
  width: "100%",
  // Fits four digits and a comma per cell.
  minWidth: 960,
  borderCollapse: "separate",
  borderSpacing: 2,
  tableLayout: "fixed",
  fontVariantNumeric: "tabular-nums",
  fontSize: "0.75rem",
  lineHeight: "16px",
  "& td, & th": { padding: "6px 0", textAlign: "center", whiteSpace: "nowrap" },
  "& th": { fontWeight: 400, color: theme.vars.palette.text.secondary },
  "& thead td": { width: 40 },
  "& tbody th": {
    textAlign: "left",
    position: "sticky",
    left: 0,
    backgroundColor: theme.vars.palette.background.paper,
  },
  "& tbody td": {
    borderRadius: 3,
    color: theme.vars.palette.text.primary,
    backgroundColor: `color-mix(in srgb, ${theme.vars.palette.primary.main} var(--part, 0%), ${theme.vars.palette.background.paper})`,
    forcedColorAdjust: "none",
  },
  // Fits the width of the paper. At this font size, four digits fit into a cell of 26 px.
  "@media print": { minWidth: 0, fontSize: "0.5625rem", borderSpacing: 1, "& thead td": { width: 28 } },
  "@media (forced-colors: active)": {
    "& tbody td": { forcedColorAdjust: "auto", border: "1px solid" },
  },
}));
