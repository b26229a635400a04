// Doughnut chart with the total inside. The legend shows every number as text, so that no table is needed.
import { Box, Stack, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { Explain } from "../feedback/Explain.tsx";
import { LiveValue } from "../feedback/LiveValue.tsx";
import { lazyChart, Swatch } from "./lazyChart.tsx";
import { formatNumber } from "../text/numbers.ts";

export type DoughnutPart = {
  label: string;
  count: number;
  color: string;
  /** Replaces the label in the legend, e.g. by a link. */
  shown?: ReactNode;
};

type DoughnutProps = {
  title: string;
  parts: readonly DoughnutPart[];
  totalLabel: string;
  /** Explanation of the title, behind a question mark. */
  explained?: string | undefined;
};

const RingPlot = lazyChart(() => import("./RingPlot.tsx").then(({ RingPlot }) => RingPlot));

export function Doughnut({ title, parts, totalLabel, explained }: DoughnutProps) {
  const total = parts.reduce((sum, part) => sum + part.count, 0);
  return (
    <Stack component="figure" aria-label={title} sx={{ m: 0, gap: 3, minWidth: 0 }}>
      <Box component="figcaption" sx={{ display: "flex", alignItems: "center", minHeight: 24 }}>
        <Typography variant="h3" component="span">
          {title}
        </Typography>
        {explained === undefined ? null : <Explain term={title}>{explained}</Explain>}
      </Box>
      {/* When three share the width of a tablet or sheet, the legend moves below. */}
      <Box
        sx={{
          display: "flex",
          flexDirection: { xs: "row", sm: "column", md: "row" },
          alignItems: { xs: "center", sm: "flex-start", md: "center" },
          columnGap: 5,
          rowGap: 3,
        }}
      >
        <Box sx={{ position: "relative", width: 112, flex: "none" }}>
          <Box aria-hidden sx={{ height: 112 }}>
            <RingPlot parts={parts} />
          </Box>
          <Box sx={{ position: "absolute", inset: 0, display: "grid", placeContent: "center", textAlign: "center" }}>
            <Box component="strong" sx={{ fontSize: "1rem", fontWeight: 600, fontVariantNumeric: "tabular-nums" }}>
              {formatNumber(total)}
            </Box>
            <Box sx={{ fontSize: "0.75rem", color: "text.secondary" }}>{totalLabel}</Box>
          </Box>
        </Box>
        <Box
          component="dl"
          sx={{
            m: 0,
            flex: { xs: 1, sm: "none", md: 1 },
            width: { sm: 1, md: "auto" },
            minWidth: 0,
            display: "grid",
            gridTemplateColumns: "auto 1fr auto",
            columnGap: 2,
            rowGap: 1,
            alignItems: "center",
            maxWidth: 220,
            "& > div": { display: "contents" },
            "& dt": { display: "contents" },
            "& dd": { m: 0, textAlign: "right", fontVariantNumeric: "tabular-nums", fontWeight: 600 },
          }}
        >
          {parts.map((part) => (
            <div key={part.label}>
              <dt>
                <Swatch aria-hidden sx={{ bgcolor: part.color }} />
                <span>{part.shown ?? part.label}</span>
              </dt>
              <dd>
                <LiveValue>{formatNumber(part.count)}</LiveValue>
              </dd>
            </div>
          ))}
        </Box>
      </Box>
    </Stack>
  );
}
