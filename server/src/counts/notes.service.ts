// Finds what explains unusual counts: public holidays and exceptions of the opening hours.
import type { CountNote } from "@psp/contract/counts/counts.api.ts";
import { dateOfDay, type DayRange } from "@psp/contract/counts/count-range.ts";
import type { OpeningDay } from "@psp/contract/opening/opening-calendar.ts";
import type { Subject } from "./subject.store.ts";

/** Returns named days of the range in order. Adjacent days with the same name are one note. */
export function findDayNotes({ zone, hoursAt }: Subject, days: DayRange): CountNote[] {
  const notes: CountNote[] = [];
  for (let day = days.first; day <= days.last; day += 1) {
    const opening = hoursAt(zone.dayStart(day))?.time.day(day);
    if (!opening?.name) continue;
    const last = notes.at(-1);
    const kind = kindOf(opening);
    if (last?.name === opening.name && last.kind === kind && last.last === dateOfDay(day - 1))
      last.last = dateOfDay(day);
    else notes.push({ first: dateOfDay(day), last: dateOfDay(day), name: opening.name, kind });
  }
  return notes;
}

const kindOf = ({ source }: OpeningDay) => (source === "exception" ? "exception" : "holiday");
