// Two numbers per slot as bars from zero, with a legend in words, and the same as a table; slots without data stay empty.
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTip } from "../feedback/Tip.tsx";

export type Slot = {
  /** When it begins. Tells the two hours apart that have one label in the night in which clocks go back. */
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

const height = 120;
const colors = ["primary.main", "info.light"] as const;
const count = new Intl.NumberFormat("en");

/** The next of 1, 2, 5 × 10ⁿ at or above: a calm top of the axis. */
export function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

/** Props: `label`, `series`, `slots`, `slotName`. */
export function HourBars({ label, series, slots, slotName }: HourBarsProps) {
  const [asTable, setAsTable] = useState(false);
  const top = niceTop(Math.max(0, ...slots.flatMap((slot) => slot.values.map((value) => value ?? 0))));
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
            <Box
              component="span"
              aria-hidden
              sx={{ width: 10, height: 10, borderRadius: "2px", bgcolor: colors[index] ?? "text.secondary" }}
            />
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
        <SlotTable series={series} slots={slots} slotName={slotName} label={label} />
      ) : (
        <Bars slots={slots} series={series} top={top} />
      )}
    </Box>
  );
}

function Bars({ slots, series, top }: { slots: readonly Slot[]; series: readonly string[]; top: number }) {
  return (
    <Box
      aria-hidden
      sx={{
        display: "grid",
        gridTemplateColumns: "auto 1fr",
        columnGap: 2,
        fontSize: "0.75rem",
        color: "text.secondary",
        fontVariantNumeric: "tabular-nums",
      }}
    >
      <Box
        sx={{
          display: "flex",
          flexDirection: "column",
          justifyContent: "space-between",
          textAlign: "right",
          // Each number stands at the middle of its line.
          height: height + 12,
          lineHeight: "12px",
          my: "-6px",
        }}
      >
        <span>{count.format(top)}</span>
        <span>{top % 2 === 0 ? count.format(top / 2) : ""}</span>
        <span>0</span>
      </Box>
      <Box
        sx={{
          display: "flex",
          alignItems: "flex-end",
          gap: "2px",
          height,
          borderBottom: 1,
          borderTop: 1,
          borderColor: "divider",
        }}
      >
        {slots.map((slot) => (
          <Bar key={slot.at} slot={slot} series={series} top={top} />
        ))}
      </Box>
      <span />
      <Box sx={{ display: "flex", gap: "2px", mt: 1 }}>
        {slots.map((slot, index) => (
          <Box key={slot.at} sx={{ flex: 1, minWidth: 0, overflow: "visible", whiteSpace: "nowrap" }}>
            {index % 6 === 0 ? slot.label : ""}
          </Box>
        ))}
      </Box>
    </Box>
  );
}

function Bar({ slot, series, top }: { slot: Slot; series: readonly string[]; top: number }) {
  const words = slot.values
    .map((value, index) => `${series[index] ?? ""} ${value === null ? "unknown" : count.format(value)}`)
    .join(", ");
  const { handlers, tip } = useTip(() => `${slot.label}: ${words}`, 80);
  return (
    <Box
      {...handlers}
      sx={{
        flex: 1,
        height: 1,
        minWidth: 0,
        display: "flex",
        alignItems: "flex-end",
        justifyContent: "center",
        gap: "1px",
        borderRadius: "2px",
        "&:hover": { bgcolor: "action.hover" },
      }}
    >
      {slot.values.map((value, index) => (
        <Box
          key={series[index]}
          sx={{
            flex: 1,
            maxWidth: 10,
            height: value === null ? 0 : `${(value / top) * 100}%`,
            minHeight: value === null || value === 0 ? 0 : 2,
            bgcolor: colors[index] ?? "text.secondary",
            borderRadius: "2px 2px 0 0",
            forcedColorAdjust: "none",
          }}
        />
      ))}
      {tip}
    </Box>
  );
}

function SlotTable({
  series,
  slots,
  slotName,
  label,
}: {
  series: readonly string[];
  slots: readonly Slot[];
  slotName: string;
  label: string;
}) {
  return (
    <Box tabIndex={0} role="region" aria-label={`${label}, table`} sx={{ maxHeight: 240, overflow: "auto" }}>
      <Box
        component="table"
        sx={{
          width: 1,
          borderCollapse: "collapse",
          fontVariantNumeric: "tabular-nums",
          "& th, & td": { textAlign: "right", py: "3px", px: 2, borderBottom: 1, borderColor: "divider" },
          "& th:first-of-type": { textAlign: "left", fontWeight: 400 },
        }}
      >
        <thead>
          <tr>
            <Box component="th" scope="col" sx={{ fontWeight: "600 !important" }}>
              {slotName}
            </Box>
            {series.map((name) => (
              <Box component="th" scope="col" key={name} sx={{ fontWeight: 600 }}>
                {name}
              </Box>
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
