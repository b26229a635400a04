// A day's totals in large figures above its hourly chart.
import { Alert, Box, Skeleton, Typography } from "@mui/material";
import { styled } from "@mui/material/styles";
import type { ReactNode } from "react";
import { LiveValue } from "../feedback/LiveValue.tsx";
import { SectionCard } from "../SectionCard.tsx";
import { CountChart } from "./CountChart.tsx";
import type { Slot } from "./slots.ts";
import { LargeNumber, mainNumberStyles } from "./Figure.tsx";
import { formatNumber } from "../text/numbers.ts";

type SumCardProps = {
  title: string;
  note?: ReactNode;
  /** `value` is null if unknown. The first one is the main one: it is larger, and alone in the chart. */
  sums: readonly { label: string; value: number | null }[];
  chartLabel: string;
  slotName: string;
  slots: readonly Slot[];
  loading: boolean;
  error?: string | undefined;
  /** Below the chart, e.g. a link to more. */
  more?: ReactNode;
};

const Sum = styled(LargeNumber)({ margin: 0 }).withComponent("dd");

export function SumCard({ title, note, sums, chartLabel, slotName, slots, loading, error, more }: SumCardProps) {
  return (
    <SectionCard
      title={title}
      head={
        <Box sx={{ display: "flex", alignItems: "baseline", gap: 3, flexWrap: "wrap" }}>
          <Typography variant="h2">{title}</Typography>
          <Box sx={{ color: "text.secondary", fontSize: "0.75rem" }}>{note}</Box>
        </Box>
      }
    >
      {error === undefined ? (
        <>
          <Box component="dl" sx={{ m: 0, display: "flex", gap: 8 }}>
            {sums.map((sum, index) => (
              <Box key={sum.label} sx={{ display: "flex", flexDirection: "column-reverse" }}>
                <Box component="dt" sx={{ color: "text.secondary" }}>
                  {sum.label}
                </Box>
                <Sum style={index === 0 ? mainNumberStyles : undefined}>
                  {loading ? (
                    <Skeleton width={64} />
                  ) : (
                    <LiveValue large>{sum.value === null ? "–" : formatNumber(sum.value)}</LiveValue>
                  )}
                </Sum>
              </Box>
            ))}
          </Box>
          {loading ? (
            <Skeleton variant="rounded" height={196} />
          ) : (
            <CountChart
              label={chartLabel}
              series={sums.map(({ label }, index) => ({ name: label, isHidden: index > 0 }))}
              slots={slots}
              slotName={slotName}
            />
          )}
          {more}
        </>
      ) : (
        <Alert severity="error">{error}</Alert>
      )}
    </SectionCard>
  );
}
