// Select for the named ranges of counts. A range that has no name is shown as custom.
import { MenuItem, TextField } from "@mui/material";
import {
  type CountRange,
  type DayRange,
  formatDayRange,
  presetDays,
  presets,
} from "@psp/contract/counts/count-range.ts";
import { countsText as text } from "./counts.text.ts";
import type { SetView } from "./view.ts";

type RangeSelectProps = { range: CountRange; today: number; setView: SetView };

type NamedRange = { name: string; days: DayRange; range: string };

/** All presets, and further calendar ranges. A name occurs once. */
function namedRanges(today: number): NamedRange[] {
  const named = [
    ...presets.map((preset) => ({ name: text.presets[preset], days: presetDays(preset, today), range: preset })),
    ...calendarRanges(today).map(([name, days]) => ({ name, days, range: formatDayRange(days, today) })),
  ];
  return [...new Map(named.toReversed().map((one) => [one.name, one])).values()].toReversed();
}

/** Weeks start on Monday. Day 0, 1 January 1970, was a Thursday. */
function calendarRanges(today: number): (readonly [string, DayRange])[] {
  const monday = today - ((today + 3) % 7);
  const date = new Date(today * 86_400_000);
  const month = (offset: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1) / 86_400_000;
  const year = date.getUTCFullYear();
  return [
    [text.thisWeek, { first: monday, last: today }],
    [text.lastWeek, { first: monday - 7, last: monday - 1 }],
    [text.thisMonth, { first: month(0), last: today }],
    [text.lastMonth, { first: month(-1), last: month(0) - 1 }],
    [text.lastYear, { first: Date.UTC(year - 1, 0, 1) / 86_400_000, last: Date.UTC(year, 0, 1) / 86_400_000 - 1 }],
  ];
}

const custom = "";

export function RangeSelect({ range, today, setView }: RangeSelectProps) {
  const named = namedRanges(today);
  const selected =
    named.find((one) => one.range === range.text) ??
    named.find(({ days }) => days.first === range.first && days.last === range.last);
  return (
    <TextField
      select
      label={text.range}
      value={selected?.name ?? custom}
      onChange={({ target }) => {
        const to = named.find(({ name }) => name === target.value);
        if (to !== undefined) setView({ range: to.range });
      }}
      slotProps={{
        select: { displayEmpty: true, renderValue: (name) => (name === custom ? text.custom : String(name)) },
      }}
      sx={{ flex: { xs: "1 1 120px", sm: "0 1 144px" }, width: "auto", minWidth: 120 }}
    >
      {named.map(({ name }) => (
        <MenuItem key={name} value={name}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  );
}
