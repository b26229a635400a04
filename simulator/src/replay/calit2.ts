// Reads a file of half-hour counts in the form of the CalIt2 data set: `flow,mm/dd/yy,HH:MM:SS,count` in local time.
import { createHash } from "node:crypto";
import { instantOf } from "../local-time.ts";

export const halfHourMs = 1_800_000;
const outFlow = "7";
const inFlow = "9";

export type HalfHour = { s: number; in: number; out: number };
export type CountFile = {
  /** Half hours in time order. */
  halfHours: HalfHour[];
  totalIn: number;
  totalOut: number;
  /** Values of local times that the zone's clocks never show, and people lost with them. */
  unplaceable: { times: number; people: number };
  /** Name of the numbering, the same for the same content. */
  ep: string;
};

const linePattern = /^([79]),(\d\d)\/(\d\d)\/(\d\d),(\d\d):(\d\d):(\d\d),(\d{1,7})$/;

/**
 * Parses the text of a file. Both flows of a half hour become one entry; where clocks show an hour twice the file has
 * it once, and its values go to the first. Throws a sentence with the line number for anything that is not a count.
 */
export function parseCounts(text: string, zone: string): CountFile {
  const found = new Map<number, { local: number; in: number | null; out: number | null }>();
  // Stray carriage returns and empty lines are the data set's own; they separate like any line end.
  text.split(/\r\n|\r|\n/).forEach((raw, index) => {
    const line = raw.trim();
    if (!line) return;
    const [, flow, month, day, year, hour, minute, second, count] = linePattern.exec(line) ?? [];
    if (!flow) throw new Error(`Line ${index + 1} is not "flow,mm/dd/yy,HH:MM:SS,count": ${line.slice(0, 60)}`);
    const local = Date.UTC(
      2000 + Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    );
    const isReal = new Date(local).getUTCDate() === Number(day) && Number(hour) < 24 && local % halfHourMs === 0;
    if (!isReal) throw new Error(`Line ${index + 1} has no half hour: ${line.slice(0, 60)}`);
    const entry = found.get(local) ?? { local, in: null, out: null };
    found.set(local, entry);
    if ((flow === inFlow && entry.in !== null) || (flow === outFlow && entry.out !== null))
      throw new Error(`Line ${index + 1} repeats an earlier one: ${line.slice(0, 60)}`);
    if (flow === inFlow) entry.in = Number(count);
    else entry.out = Number(count);
  });
  if (!found.size) throw new Error("The file holds no counts.");
  return place([...found.values()], zone);
}

function place(entries: { local: number; in: number | null; out: number | null }[], zone: string): CountFile {
  const halfHours: HalfHour[] = [];
  const unplaceable = { times: 0, people: 0 };
  for (const entry of entries.toSorted((a, b) => a.local - b.local)) {
    const s = instantOf(zone, entry.local);
    const [entered, out] = [entry.in ?? 0, entry.out ?? 0];
    if (s === null) {
      unplaceable.times++;
      unplaceable.people += entered + out;
    } else halfHours.push({ s, in: entered, out });
  }
  const content = halfHours.map((one) => `${one.s},${one.in},${one.out}`).join("\n");
  return {
    halfHours,
    totalIn: halfHours.reduce((sum, one) => sum + one.in, 0),
    totalOut: halfHours.reduce((sum, one) => sum + one.out, 0),
    unplaceable,
    ep: createHash("sha256").update(content).digest("hex").slice(0, 16),
  };
}
