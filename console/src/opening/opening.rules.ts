// Checks of the opening hours form, with messages of the contract's schema, and what its actions do.
import { serverErrors } from "@psp/contract/errors.ts";
import { hasForbiddenCharacters } from "@psp/contract/kit/text-bounds.ts";
import {
  type OpeningHours,
  openingHoursInput,
  type OpenRange,
  type Weekday,
  weekdays,
} from "@psp/contract/opening/opening-hours.ts";

/** Messages by path, such as `week.mo.0.from`. */
export type OpeningErrors = Readonly<Record<string, string>>;

export function checkOpening(hours: OpeningHours | null): OpeningErrors {
  if (hours === null) return {};
  const errors: Record<string, string> = {};
  for (const { path, message } of openingHoursInput.safeParse(hours).error?.issues ?? []) {
    const place = path.join(".");
    errors[place] ??= message;
  }
  for (const [index, { name }] of hours.exceptions.entries())
    if (hasForbiddenCharacters(name ?? "")) errors[`exceptions.${index}.name`] = serverErrors.invalidInput.message;
  return errors;
}

/** The path of the input that shows an error; overlaps are shown at the start of their range. */
export function fieldOfPath(path: string): string {
  return /\.\d+$/.test(path) ? `${path}.from` : path;
}

export const errorsBelow = (errors: OpeningErrors, path: string): string[] => [
  ...new Set(
    Object.entries(errors)
      .filter(([place]) => place === path || place.startsWith(`${path}.`))
      .map(([, message]) => message),
  ),
];

/** Path and message of a refusal of the server, for `openingHours` at any depth of the body. */
export function refusedField(details: Readonly<Record<string, unknown>>): { path: string; message: string } | null {
  const { field, reason } = details;
  const path = typeof field === "string" ? /(?:^|\.)openingHours\.(.+)$/.exec(field)?.[1] : undefined;
  return path === undefined || typeof reason !== "string" ? null : { path, message: reason };
}

/** `9`, `930`, `9.30`, `21:30` and `9:30 pm` as `HH:MM`; other texts stay as they are. */
export function normalizeTime(typed: string): string {
  const plain = typed.trim().toLowerCase();
  const [, hours, minutes = "00", half] = /^(\d{1,2})(?:[:.h ]?(\d{2}))?\s*(?:([ap])\.?m?\.?)?$/.exec(plain) ?? [];
  if (hours === undefined) return typed.trim();
  const clock = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === "p" ? 12 : 0);
  if (half !== undefined && (Number(hours) < 1 || Number(hours) > 12)) return typed.trim();
  return `${String(clock).padStart(2, "0")}:${minutes}`;
}

const usual: OpenRange[] = [{ from: "09:00", to: "18:00" }];
export const wholeDay: OpenRange[] = [{ from: "00:00", to: "24:00" }];

/** Shown first when someone begins to enter hours. */
export const initialHours: OpeningHours = {
  week: { mo: usual, tu: usual, we: usual, th: usual, fr: usual, sa: [], su: [] },
  exceptions: [],
  holidays: null,
};

/** Hours for a day that was closed: those of the open day before it. */
export function suggestRanges(week: OpeningHours["week"], day: Weekday): OpenRange[] {
  const at = weekdays.indexOf(day);
  const earlier = weekdays.slice(0, at).toReversed();
  return earlier.map((one) => week[one]).find((ranges) => ranges.length > 0) ?? usual;
}

/** The next range begins when the last one ends. */
export function nextRange(ranges: readonly OpenRange[]): OpenRange {
  const end = ranges.at(-1)?.to ?? "";
  return end === "" || end === "24:00" ? { from: "", to: "" } : { from: end, to: "" };
}

/** Monday to Friday. */
export function copyToWeekdays(week: OpeningHours["week"], day: Weekday): OpeningHours["week"] {
  const same = week[day];
  return { ...week, mo: same, tu: same, we: same, th: same, fr: same };
}

/** In the form's order of fields, so that equal hours have equal JSON. */
export function inFormOrder(hours: OpeningHours | null): OpeningHours | null {
  if (hours === null) return null;
  const { week, exceptions, holidays } = hours;
  const range = ({ from, to }: OpenRange): OpenRange => ({ from, to });
  const { mo, tu, we, th, fr, sa, su } = week;
  const day = (ranges: OpenRange[]) => ranges.map(range);
  return {
    week: { mo: day(mo), tu: day(tu), we: day(we), th: day(th), fr: day(fr), sa: day(sa), su: day(su) },
    exceptions: exceptions.map(({ date, hours: open, name }) => ({ date, hours: day(open), name })),
    holidays: holidays && { country: holidays.country, region: holidays.region, closed: holidays.closed },
  };
}
