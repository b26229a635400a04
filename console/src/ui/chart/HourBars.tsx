// Two numbers per slot as bars from zero, with a legend in words, and the same as a table; slots without data stay empty.
import { Box, Button } from "@mui/material";
import { useState } from "react";
import { drawn, Swatch } from "./drawn.tsx";

export type Slot = {
  /** When it begins: different for the two hours that have one label in the night in which clocks go back. */
  at: string;
  /** E.g. "13:00". */
  label: string;
  /** Null where nothing is known. */
  values: readonly (number | null)[];
};

type HourBarsProps = {
  /** Names the chart, e.g. "People per hour today". */
  label: string;
  /** One name per value; at most two. */
  series: readonly string[];
  slots: readonly Slot[];
  slotName: string;
};

const height = 156;
const colors = ["primary.main", "info.light"] as const;
const count = new Intl.NumberFormat("en");

const BarsPlot = drawn(() => import("./BarsPlot.tsx").then(({ BarsPlot }) => BarsPlot));

export function HourBars(props: HourBarsProps) {
  const { label, series, slots } = props;
  const [asTable, setAsTable] = useState(false);
  return (
    <Box component="figure" aria-label={label} sx={{ m: 0 }}>
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
        {series.map((name, index) => (
          <Box component="span" key={name} sx={{ display: "inline-flex", alignItems: "center", gap: 2 }}>
            <Swatch aria-hidden sx={{ bgcolor: colors[index] }} />
            {name}
          </Box>
        ))}
        <Button
          size="small"
          color="inherit"
          sx={{ ml: "auto" }}
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? "Show chart" : "Show table"}
        </Button>
      </Box>
      {asTable ? (
        <SlotTable {...props} />
      ) : (
        <Box aria-hidden sx={{ height }}>
          <BarsPlot series={series} slots={slots} height={height} />
        </Box>
      )}
    </Box>
  );
}

function SlotTable({ series, slots, slotName, label }: HourBarsProps) {
  return (
    <Box tabIndex={0} role="region" aria-label={`${label}, table`} sx={{ maxHeight: 240, overflow: "auto" }}>
      <Box
        component="table"
        sx={{
          width: 1,
          borderCollapse: "collapse",
          fontVariantNumeric: "tabular-nums",
          "& th, & td": { textAlign: "right", py: "3px", px: 2, borderBottom: 1, borderColor: "divider" },
          "& th:first-of-type": { textAlign: "left" },
          "& thead th": { fontWeight: 600 },
          "& tbody th": { fontWeight: 400 },
        }}
      >
        <thead>
          <tr>
            {[slotName, ...series].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {slots.map((slot) => (
            <tr key={slot.at}>
              <th scope="row">{slot.label}</th>
              {slot.values.map((value, index) => (
                <td key={series[index]}>{value === null ? "-" : count.format(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Box>
    </Box>
  );
}
