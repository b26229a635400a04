// Finds what explains unusual counts: public holidays, exceptions of the opening hours, and events.
import type { CountNote } from "@psp/contract/counts/counts.api.ts";
import { dateOfDay, type DayRange } from "@psp/contract/counts/count-range.ts";
import type { OpeningDay } from "@psp/contract/opening/opening-calendar.ts";
import type { Context } from "../context.ts";
import { findEventsOfLocations, type LocationEvent } from "../event/event.service.ts";
import type { Caller } from "../kit/caller.ts";
import type { Subject } from "./subject.store.ts";

type Notes = {
  /** Within the range, sorted by first day. */
  notes: CountNote[];
  /** Whether an event on the day is to be left out of comparisons. */
  isExcluded(day: number): boolean;
};

/** `shift`: how many days earlier the compared range is. */
export async function findNotes(
  ctx: Context,
  caller: Caller,
  subject: Subject,
  days: DayRange,
  shift: number,
): Promise<Notes> {
  const places = locationsOf(subject, { first: days.first - shift, last: days.last });
  const found = await findEventsOfLocations(ctx, caller, [...places], days.first - shift, days.last);
  const events = [...found.values()].flat();
  const shown = new Map(events.map((event) => [event.id, event])).values().filter((event) => event.last >= days.first);
  const notes = [...findDayNotes(subject, days), ...shown.map(toNote)];
  return {
    notes: notes.toSorted((a, b) => a.first.localeCompare(b.first) || a.name.localeCompare(b.name)),
    isExcluded: createExclusion(events),
  };
}

export function createExclusion(events: readonly LocationEvent[]): (day: number) => boolean {
  const left = events.filter(({ excludeFromComparison }) => excludeFromComparison);
  return (day) => left.some(({ first, last }) => day >= first && day <= last);
}

const toNote = ({ name, first, last }: LocationEvent): CountNote => {
  return { first: dateOfDay(first), last: dateOfDay(last), name, kind: "event" };
};

/** A sensor may have been at several locations. */
function locationsOf({ kind, id, zone, slices, placeOf }: Subject, days: DayRange): Set<string> {
  if (kind === "location") return new Set([id]);
  const found = new Set<string>();
  for (let day = days.first; day <= days.last; day += 1)
    for (const { sensorNum } of slices) {
      const { locationId } = placeOf(sensorNum, zone.dayStart(day));
      if (locationId !== null) found.add(locationId);
    }
  return found;
}

/** Adjacent days with the same name are one note. */
function findDayNotes({ zone, hoursAt }: Subject, days: DayRange): CountNote[] {
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
