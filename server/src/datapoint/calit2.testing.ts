// Parses files of the CalIt2 data set, and generates similar ones with the same pitfalls.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { countRecord } from "./site.testing.ts";

export const calIt2Zone = "America/Los_Angeles";

export type CalIt2Data = {
  records: CountRecord[];
  total: { in: number; out: number };
  /** Sums in `days` are keyed by local date, those in `hours` by local date and hour. */
  days: Map<string, { in: number; out: number }>;
  hours: Map<string, { in: number; out: number }>;
};

/** Rows are `flow,mm/dd/yy,hh:mm:ss,people` in local time; flow 9 is in, 7 is out. Ignores stray carriage returns. */
export function readCalIt2(text: string): CalIt2Data {
  const slots = new Map<string, { in: number; out: number }>();
  for (const line of text.split(/[\r\n]+/)) {
    const match = /^([79]),(\d\d)\/(\d\d)\/(\d\d),(\d\d):(\d\d):00,(\d+)$/.exec(line.trim());
    if (!match) continue;
    const [, flow, month, day, year, hour, minute, people] = match;
    const key = `20${year}-${month}-${day}T${hour}:${minute}`;
    const slot = slots.get(key) ?? { in: 0, out: 0 };
    slot[flow === "9" ? "in" : "out"] += Number(people);
    slots.set(key, slot);
  }
  const replay: CalIt2Data = { records: [], total: { in: 0, out: 0 }, days: new Map(), hours: new Map() };
  for (const [key, slot] of slots) {
    // When clocks go back, the file contains the repeated hour only once. It is read as the first occurrence.
    const start = Temporal.PlainDateTime.from(key).toZonedDateTime(calIt2Zone, {
      disambiguation: "earlier",
    }).epochMilliseconds;
    replay.records.push(countRecord(start, 1800, { door: [slot.in, slot.out] }));
    for (const sums of [replay.total, at(replay.days, key.slice(0, 10)), at(replay.hours, key.slice(0, 13))]) {
      sums.in += slot.in;
      sums.out += slot.out;
    }
  }
  return replay;
}

function at(map: Map<string, { in: number; out: number }>, key: string): { in: number; out: number } {
  const sums = map.get(key) ?? { in: 0, out: 0 };
  map.set(key, sums);
  return sums;
}

/**
 * Generates the same 105 days with other numbers. As in the original, the day of 25 hours has only 48 half hours, and two lines have
 * stray carriage returns.
 */
export function generateCalIt2(): string {
  const lines: string[] = [];
  let date = Temporal.PlainDate.from("2005-07-24");
  for (let day = 0; day < 105; day += 1, date = date.add({ days: 1 })) {
    for (let half = 0; half < 48; half += 1) {
      const two = (n: number) => String(n).padStart(2, "0");
      const when = `${two(date.month)}/${two(date.day)}/05,${two(half >> 1)}:${half % 2 ? "30" : "00"}:00`;
      lines.push(`7,${when},${(day * 7 + half * 3) % 13}`, `9,${when},${(day * 5 + half * 11) % 17}`);
    }
  }
  lines[4321] += "\r";
  lines.splice(7777, 0, "\r");
  return lines.join("\n");
}
