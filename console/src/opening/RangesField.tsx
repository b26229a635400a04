// Hours of one day: closed, open all day, or ranges.
import { type OpenRange, maxRangesPerDay, rangeMinutes, minutesPerDay } from "@psp/contract/opening/opening-hours.ts";
import AddRounded from "~icons/ic/round-add";
import CloseRounded from "~icons/ic/round-close";
import { Box, FormHelperText, IconButton } from "@mui/material";
import { type ReactNode, useState } from "react";
import { SelectField } from "../ui/form/SelectField.tsx";
import { type OpeningErrors, errorsBelow, nextRange, wholeDay } from "./opening.rules.ts";
import { openingText as text } from "./opening.text.ts";
import { isAllDay } from "./opening.words.ts";
import { TimeField } from "./TimeField.tsx";

type RangesFieldProps = {
  /** Name of the day for labels. */
  day: string;
  /** Ids of the inputs begin with it. */
  id: string;
  value: readonly OpenRange[];
  onChange: (ranges: OpenRange[]) => void;
  /** Ranges for a day that was closed. */
  suggest: () => OpenRange[];
  errors: OpeningErrors;
  /** Path of the ranges in the errors. */
  path: string;
  /** Shows errors of fields that were not left yet. */
  submitted: boolean;
  /** Shown at the end of the first line. */
  action?: ReactNode;
};

type Kind = (typeof text.kinds)[number][0];
const kindOf = (ranges: readonly OpenRange[]): Kind =>
  ranges.length === 0 ? "closed" : isAllDay(ranges) ? "allDay" : "hours";

const endsNextDay = (range: OpenRange) =>
  /^\d\d:\d\d$/.test(range.from) && /^\d\d:\d\d$/.test(range.to) && range.from !== range.to
    ? rangeMinutes(range).to > minutesPerDay
    : false;

/** On phones the hours are below the choice. */
const line = {
  display: "grid",
  gap: 2,
  alignItems: "start",
  gridTemplateColumns: "136px minmax(0, 1fr) auto",
  gridTemplateAreas: { xs: '"kind . action" "hours hours hours"', sm: '"kind hours action"' },
} as const;

export function RangesField(props: RangesFieldProps) {
  const { day, id, value, onChange, errors, path, submitted } = props;
  const [isLeft, setLeft] = useState(false);
  const kind = kindOf(value);
  const isShown = submitted || isLeft;
  const messages = isShown ? errorsBelow(errors, path) : [];
  const messageId = `${id}-message`;
  const change = (index: number, part: Partial<OpenRange>) =>
    onChange(value.map((range, n) => (n === index ? { ...range, ...part } : range)));
  const wrongAt = (index: number, end: "from" | "to") => {
    const places = end === "from" ? [`${path}.${index}`, `${path}.${index}.from`] : [`${path}.${index}.to`];
    return isShown && places.some((place) => errors[place] !== undefined) ? messageId : undefined;
  };
  return (
    <Box sx={{ display: "grid", gap: 2, minWidth: 0 }}>
      <Box sx={line}>
        <SelectField<Kind>
          id={id}
          value={kind}
          onChange={(next) => {
            if (next === "closed") onChange([]);
            else onChange(next === "allDay" ? wholeDay : isAllDay(value) ? [{ from: "", to: "" }] : props.suggest());
          }}
          choices={text.kinds}
          sx={{ gridArea: "kind", width: 136 }}
          fullWidth={false}
          slotProps={{ select: { SelectDisplayProps: { "aria-label": text.kindOf(day) } } }}
        />
        {kind === "hours" ? (
          <Box sx={{ gridArea: "hours", display: "grid", gap: 1, minWidth: 0 }}>
            {value.map((range, index) => (
              <Box
                // oxlint-disable-next-line react/no-array-index-key -- ranges have no other identity
                key={index}
                sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 1 }}
              >
                <TimeField
                  id={`${id}-${index}-from`}
                  label={text.from(day, index)}
                  value={range.from}
                  onChange={(from) => change(index, { from })}
                  onLeave={() => setLeft(true)}
                  describedBy={wrongAt(index, "from")}
                />
                <Box aria-hidden sx={{ px: 1, color: "text.secondary" }}>
                  {text.until}
                </Box>
                <TimeField
                  id={`${id}-${index}-to`}
                  label={text.to(day, index)}
                  value={range.to}
                  onChange={(to) => change(index, { to })}
                  onLeave={() => setLeft(true)}
                  describedBy={wrongAt(index, "to")}
                />
                {value.length > 1 ? (
                  <IconButton
                    aria-label={text.removeRange(day, index)}
                    title={text.removeRange(day, index)}
                    onClick={() => onChange(value.filter((_, n) => n !== index))}
                  >
                    <CloseRounded />
                  </IconButton>
                ) : null}
                {index === value.length - 1 && value.length < maxRangesPerDay ? (
                  <IconButton
                    aria-label={text.addRange(day)}
                    title={text.addRange(day)}
                    onClick={() => onChange([...value, nextRange(value)])}
                  >
                    <AddRounded />
                  </IconButton>
                ) : null}
                {endsNextDay(range) ? (
                  <Box sx={{ flexBasis: "100%", color: "text.secondary", fontSize: "0.75rem" }}>{text.nextDay}</Box>
                ) : null}
              </Box>
            ))}
          </Box>
        ) : null}
        <Box sx={{ gridArea: "action" }}>{props.action}</Box>
      </Box>
      {messages.length === 0 ? null : (
        <FormHelperText id={messageId} error sx={{ mx: 0 }}>
          {messages.join(". ")}
        </FormHelperText>
      )}
    </Box>
  );
}
