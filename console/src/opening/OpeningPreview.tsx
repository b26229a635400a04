// Hours of the next days, and exceptions and holidays of the next weeks, also of hours that are not saved yet.
import { dateOfDay, parseDay } from "@psp/contract/counts/count-range.ts";
import { createOpeningDays, type OpeningDay } from "@psp/contract/opening/opening-calendar.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { Alert, Box } from "@mui/material";
import { useHolidays } from "./opening.queries.ts";
import { openingText as text } from "./opening.text.ts";
import { describeRanges } from "./opening.words.ts";

type OpeningPreviewProps = {
  hours: OpeningHours;
  /** `YYYY-MM-DD` */
  today: string;
};

const nextDays = 7;
const weeksAhead = 8;

export function OpeningPreview({ hours, today }: OpeningPreviewProps) {
  const first = parseDay(today) ?? 0;
  const last = first + weeksAhead * 7;
  const years = [...new Set([first, last].map((day) => Number(dateOfDay(day).slice(0, 4))))];
  const { names, isError } = useHolidays(hours.holidays, years);
  const dayOf = createOpeningDays(hours, (day) => names.get(dateOfDay(day)) ?? null);
  const days = Array.from({ length: last - first }, (_, n) => ({ day: first + n, ...dayOf(first + n) }));
  const shown = days.filter(({ name, source }, n) => n < nextDays || name !== null || source !== "week");
  return (
    <Box role="group" aria-label={text.preview} sx={{ display: "grid", gap: 2 }}>
      <Box component="h3" sx={{ m: 0, fontSize: "inherit", fontWeight: 600 }}>
        {text.preview}
      </Box>
      {isError ? <Alert severity="warning">{text.previewFailed}</Alert> : null}
      <Box
        component="ul"
        sx={{ listStyle: "none", m: 0, p: 0, display: "grid", rowGap: 1, fontVariantNumeric: "tabular-nums" }}
      >
        {shown.map((one) => (
          <Day key={one.day} {...one} />
        ))}
      </Box>
    </Box>
  );
}

const format = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });

function Day({ day, name, source, ranges }: OpeningDay & { day: number }) {
  const isSpecial = source !== "week" || name !== null;
  return (
    <Box
      component="li"
      sx={{
        display: "grid",
        gridTemplateColumns: "96px minmax(0, 1fr)",
        columnGap: 3,
        fontWeight: isSpecial ? 600 : 400,
      }}
    >
      <span>{format.format(day * 86_400_000)}</span>
      <Box component="span" sx={{ overflowWrap: "anywhere" }}>
        {describeRanges(ranges)}
        {name === null ? null : (
          <Box component="span" sx={{ fontWeight: 400, color: "text.secondary" }}>
            {` · ${name}`}
          </Box>
        )}
      </Box>
    </Box>
  );
}
