// Hours of each weekday.
import { type OpeningHours, weekdays } from "@psp/contract/opening/opening-hours.ts";
import ContentCopyRounded from "~icons/ic/round-content-copy";
import { Box, FormHelperText, IconButton } from "@mui/material";
import { copyToWeekdays, type OpeningErrors, suggestRanges } from "./opening.rules.ts";
import { dayNames, openingText as text } from "./opening.text.ts";
import { RangesField } from "./RangesField.tsx";

type WeekFieldProps = {
  id: string;
  value: OpeningHours["week"];
  onChange: (week: OpeningHours["week"]) => void;
  errors: OpeningErrors;
  submitted: boolean;
};

export function WeekField({ id, value, onChange, errors, submitted }: WeekFieldProps) {
  return (
    <Box role="group" aria-label={text.week} sx={{ display: "grid", gap: 2 }}>
      {weekdays.map((day) => (
        <Box
          key={day}
          sx={{
            display: "grid",
            gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: "84px minmax(0, 1fr)" },
            columnGap: 3,
            rowGap: 1,
            alignItems: "start",
          }}
        >
          <Box sx={{ lineHeight: "36px", fontWeight: { xs: 600, sm: 400 } }}>{dayNames[day]}</Box>
          <RangesField
            day={dayNames[day]}
            id={`${id}-week-${day}`}
            value={value[day]}
            onChange={(ranges) => onChange({ ...value, [day]: ranges })}
            suggest={() => suggestRanges(value, day)}
            errors={errors}
            path={`week.${day}`}
            submitted={submitted}
            action={
              <IconButton
                aria-label={text.copy(dayNames[day])}
                title={text.copy(dayNames[day])}
                onClick={() => onChange(copyToWeekdays(value, day))}
              >
                <ContentCopyRounded />
              </IconButton>
            }
          />
        </Box>
      ))}
      <FormHelperText sx={{ mx: 0 }}>{text.timeHint}</FormHelperText>
    </Box>
  );
}
