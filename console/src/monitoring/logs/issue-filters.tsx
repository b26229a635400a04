// Filters of a monitoring log by days, status, type and sensor (MO-04).
import { dateOfDay, type DayRange, parseDay } from "@psp/contract/counts/count-range.ts";
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, Checkbox, ListItemText, MenuItem, TextField, ToggleButton, ToggleButtonGroup } from "@mui/material";
import { useEffect, useRef } from "react";
import type { ListState } from "../../address/list-state.ts";
import { formatDateRange, todayIn } from "../../counts/times.ts";
import type { ListFilter } from "../../entity/list/list-filters.tsx";
import { ReferenceSelect } from "../../entity/reference/ReferenceSelect.tsx";
import { useChoices } from "../../entity/reference/useChoices.ts";
import { DateField } from "../../ui/time/DateField.tsx";
import type { ActiveFilter } from "../../ui/table/FilterChips.tsx";
import { issueText as text } from "../issue.text.ts";
import { parseDayRange } from "../zone-days.ts";

/** One chip for each value of a repeated URL parameter. */
function chipsOf(list: ListState, name: string, label: string, words: (value: string) => string): ActiveFilter[] {
  const { value, onChange } = list.several(name);
  return value.map((each) => ({
    id: `${name} ${each}`,
    name: label,
    value: words(each),
    onRemove: () => onChange(value.filter((one) => one !== each)),
  }));
}

export function multiChoiceFilter(
  list: ListState,
  name: string,
  label: string,
  words: Readonly<Record<string, string>>,
): ListFilter {
  const wordsOf = (value: string) => words[value] ?? value;
  return {
    field: <SeveralField list={list} name={name} label={label} words={words} />,
    chips: chipsOf(list, name, label, wordsOf),
  };
}

type SeveralFieldProps = { list: ListState; name: string; label: string; words: Readonly<Record<string, string>> };

function SeveralField({ list, name, label, words }: SeveralFieldProps) {
  const { value, onChange } = list.several(name);
  return (
    <TextField
      select
      label={label}
      value={value}
      onChange={({ target }) => onChange([target.value].flat())}
      slotProps={{
        inputLabel: { shrink: true },
        select: {
          multiple: true,
          displayEmpty: true,
          renderValue: (chosen) => {
            const shown = chosen as string[];
            return shown.length === 0 ? text.any : shown.map((one) => words[one] ?? one).join(", ");
          },
        },
      }}
    >
      {Object.entries(words).map(([word, said]) => (
        <MenuItem key={word} value={word} dense>
          <Checkbox checked={value.includes(word)} tabIndex={-1} sx={{ p: 0, mr: 2 }} />
          <ListItemText primary={said} />
        </MenuItem>
      ))}
    </TextField>
  );
}

const presets = [7, 30, 90] as const;
const name = "fromToDates";
const textOf = ({ first, last }: DayRange) => `${dateOfDay(first)},${dateOfDay(last)}`;
const daysTo = (today: number, length: number): DayRange => ({ first: today - length + 1, last: today });

/** Filters by days in the location's time zone. */
export function dateFilter(list: ListState, timeZone: string | null, label: string = text.created): ListFilter {
  const today = todayIn(timeZone);
  const days = parseDayRange(list.text(name));
  const preset = days === null ? undefined : presets.find((length) => textOf(daysTo(today, length)) === textOf(days));
  const words = days === null ? "" : preset === undefined ? formatDateRange(days) : text.presets[preset];
  return {
    field: (
      <DaysField
        label={label}
        days={days}
        preset={preset}
        today={today}
        onChange={(next) => list.set({ [name]: next === null ? undefined : textOf(next) })}
      />
    ),
    chips: list.chip(name, label, words),
  };
}

type DaysFieldProps = {
  label: string;
  days: DayRange | null;
  preset: (typeof presets)[number] | undefined;
  today: number;
  onChange: (days: DayRange | null) => void;
};

function DaysField({ label, days, preset, today, onChange }: DaysFieldProps) {
  // Holds the latest days, because the URL is updated with a delay, and a second change must build on the first one.
  const latest = useRef(days);
  const inAddress = days === null ? "" : textOf(days);
  useEffect(() => {
    latest.current = parseDayRange(inAddress);
  }, [inAddress]);
  const choose = (side: "first" | "last", date: string) => {
    const day = parseDay(date);
    if (day === null) return false;
    const { first, last } = latest.current ?? { first: day, last: Math.max(day, today) };
    // If the new date would reverse the range, the other date moves with it.
    const next =
      side === "first" ? { first: day, last: Math.max(day, last) } : { first: Math.min(day, first), last: day };
    latest.current = next;
    onChange(next);
    return true;
  };
  const field = (side: "first" | "last", name: string) => (
    <DateField
      label={name}
      value={days === null ? "" : dateOfDay(days[side])}
      onChoose={(date) => choose(side, date)}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  );
  return (
    <Box role="group" aria-label={label} sx={{ display: "flex", flexDirection: "column", gap: 3 }}>
      <Box sx={{ color: "text.secondary" }}>{label}</Box>
      <ToggleButtonGroup
        exclusive
        size="small"
        orientation="vertical"
        aria-label={label}
        value={preset ?? null}
        onChange={(_, length: number | null) => onChange(length === null ? null : daysTo(today, length))}
      >
        {presets.map((length) => (
          <ToggleButton key={length} value={length} sx={{ textTransform: "none", justifyContent: "flex-start", px: 3 }}>
            {text.presets[length]}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4, mt: 1 }}>
        {field("first", text.from)}
        {field("last", text.to)}
      </Box>
    </Box>
  );
}

/** Filter by sensor; null if the log is that of one sensor. */
export function sensorFilter(list: ListState, measID: string | null): ListFilter | null {
  if (measID === null) return null;
  return {
    field: <SensorField list={list} measID={measID} />,
    chips: chipsOf(list, "sensorIDs", text.sensor, String),
  };
}

/** Offers the sensors that are at the location now. The URL may contain others. */
function SensorField({ list, measID }: { list: ListState; measID: string }) {
  const choices = useChoices<Sensor>({
    type: "sensor",
    list: listSensors,
    query: { measID, sortBy: "_id" },
    searchBy: "sensorID",
  });
  const { value, onChange } = list.chosen("sensorIDs");
  return (
    <ReferenceSelect
      label={text.sensor}
      type="sensor"
      value={value}
      valueName={value ?? undefined}
      onChange={onChange}
      placeholder={text.any}
      choices={choices}
      rows={choices.rows}
      toOption={({ _id, type }) => ({ id: _id, label: _id, hint: type })}
    />
  );
}
