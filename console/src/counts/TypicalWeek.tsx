// Mean counts by weekday and hour, for ranges of at least two weeks.
import { Box, Skeleton, ToggleButton, ToggleButtonGroup, Typography } from "@mui/material";
import { useState } from "react";
import { HeatMap } from "../ui/chart/HeatMap.tsx";
import { PrintOnly } from "../ui/PrintOnly.tsx";
import { SectionCard } from "../ui/SectionCard.tsx";
import { countsText as text } from "./counts.text.ts";
import { type SingleCountsSubject, useTypicalWeek } from "./counts.queries.ts";

const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
const sides = ["in", "out"] as const;

type TypicalWeekProps = { subject: SingleCountsSubject; range: string; open: boolean };

export function TypicalWeek({ subject, range, open }: TypicalWeekProps) {
  const { data } = useTypicalWeek(subject, range, open);
  const [side, setSide] = useState<(typeof sides)[number]>("in");
  return (
    <SectionCard
      title={text.typicalWeek}
      head={
        <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2, alignItems: "flex-start" }}>
          <Box sx={{ mr: "auto", minWidth: 0 }}>
            <Typography variant="h2">{text.typicalWeek}</Typography>
            <Box sx={{ color: "text.secondary" }}>{text.typicalWeekText}</Box>
            <PrintOnly>{text.byWeekday(text[side])}</PrintOnly>
          </Box>
          <ToggleButtonGroup
            exclusive
            size="small"
            aria-label={text.side}
            value={side}
            onChange={(_, next: typeof side | null) => {
              if (next !== null) setSide(next);
            }}
          >
            {sides.map((one) => (
              <ToggleButton key={one} value={one} sx={{ px: 3, textTransform: "none" }}>
                {text[one]}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
        </Box>
      }
    >
      {data === undefined ? (
        <Skeleton variant="rounded" height={246} />
      ) : (
        <HeatMap
          label={text.byWeekday(text[side])}
          rows={text.weekdays}
          columns={hours}
          values={data.days.map((day) => day.map((hour) => hour?.[side] ?? null))}
        />
      )}
    </SectionCard>
  );
}
