// A day's sums in large figures above the hours they came from.
import { Alert, Box, Skeleton, Typography } from "@mui/material";
import { styled } from "@mui/material/styles";
import type { ReactNode } from "react";
import { SectionCard } from "../SectionCard.tsx";
import { HourBars, type Slot } from "./HourBars.tsx";

type SumCardProps = {
  title: string;
  /** Small text beside the title. */
  note?: ReactNode;
  sums: readonly { label: string; value: number }[];
  chartLabel: string;
  slotName: string;
  slots: readonly Slot[];
  loading: boolean;
  /** Shown instead of the figures. */
  error?: string | undefined;
};

const Figure = styled("dd")({
  margin: 0,
  fontSize: "1.375rem",
  lineHeight: "28px",
  fontWeight: 600,
  fontVariantNumeric: "tabular-nums",
});

const count = new Intl.NumberFormat("en");

export function SumCard({ title, note, sums, chartLabel, slotName, slots, loading, error }: SumCardProps) {
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
            {sums.map((sum) => (
              <Box key={sum.label} sx={{ display: "flex", flexDirection: "column-reverse" }}>
                <Box component="dt" sx={{ color: "text.secondary" }}>
                  {sum.label}
                </Box>
                <Figure>{loading ? <Skeleton width={64} /> : count.format(sum.value)}</Figure>
              </Box>
            ))}
          </Box>
          {loading ? (
            <Skeleton variant="rounded" height={168} />
          ) : (
            <HourBars label={chartLabel} series={sums.map((sum) => sum.label)} slots={slots} slotName={slotName} />
          )}
        </>
      ) : (
        <Alert severity="error">{error}</Alert>
      )}
    </SectionCard>
  );
}
