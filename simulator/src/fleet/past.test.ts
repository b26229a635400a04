// Tests that bulk history has the counts that a sensor would send, covers whole days, and has gaps while power is off.
import { expect, test } from "vitest";
import { computeTally } from "../counting/tally.ts";
import { profileOf } from "../device/identity.ts";
import { parseFaults } from "../faults/scripts.ts";
import { combineFaults } from "../faults/world.ts";
import { localMoment } from "../local-time.ts";
import type { RecordBody } from "../records/records.ts";
import type { Member } from "./fleet.ts";
import { generateHistory } from "./past.ts";

const day = 86_400_000;
const zone = "Europe/Berlin";
const member: Member = { id: "02:00:00:00:00:21", type: "APS", kind: "shop", zone, country: "Germany" };
const other: Member = { ...member, id: "02:00:00:00:00:22", type: "PS.C1" };
const past = { from: Date.UTC(2025, 10, 20, 9), to: Date.UTC(2026, 0, 9, 12), intervalS: 900 };
const all = (members: Member[], skip = 0) => [...generateHistory(members, "demo", past, skip)];
const recordsOf = (...members: Member[]) =>
  all(members)
    .flatMap(({ records }) => records)
    .toSorted((a, b) => a.s - b.s);

function people(record: RecordBody): { in: number; out: number } {
  const sum = { in: 0, out: 0 };
  if (record.t !== "count") throw new Error(`not a count: ${record.t}`);
  for (const line of record.lines) {
    sum.in += line.in;
    sum.out += line.out;
  }
  return sum;
}

test("months come newest first, sensor by sensor; those that are skipped are the first ones", () => {
  const months = all([member, other]);
  expect(months.map(({ sensor, records }) => [sensor, new Date(records[0]?.s ?? 0).toISOString().slice(0, 7)])).toEqual(
    ["2026-01", "2025-12", "2025-11"].flatMap((month) => [member, other].map(({ id }) => [id, month])),
  );
  expect(all([member, other], 3)).toEqual(months.slice(3));
});

test("history has every interval once, with the counts of a live sensor", () => {
  const records = recordsOf(member);
  const [first] = records;
  expect(localMoment(zone, first?.s ?? 0).minute).toBe(0);
  expect((first?.s ?? 0) - past.from).toBeLessThan(day);
  for (const [index, record] of records.entries()) expect(record.s).toBe(index ? records[index - 1]?.e : first?.s);
  expect(records.at(-1)?.e).toBe(past.to);
  const profile = profileOf(member.id, "APS", "demo", { kind: "shop", zone, country: "Germany" });
  const noon = records.find(({ s }) => s === Date.UTC(2025, 11, 10, 12));
  const { lines } = computeTally(
    profile,
    combineFaults([]),
    Date.UTC(2025, 11, 10, 12),
    Date.UTC(2025, 11, 10, 12, 15),
  );
  expect(noon && people(noon).in).toBe(lines.reduce((sum, line) => sum + line.in, 0));
  expect(noon && people(noon).in).toBeGreaterThan(0);
});

test("every day is balanced by closing, holidays are closed, and Advent is fuller than November", () => {
  const days = Map.groupBy(recordsOf(member), ({ s }) => localMoment(zone, s).dayNumber);
  const sums = new Map<string, number>();
  for (const [number, records] of days) {
    const counts = records.map(people);
    const ins = counts.reduce((sum, count) => sum + count.in, 0);
    const isWhole = records.length === 96;
    if (isWhole) expect(counts.reduce((sum, count) => sum + count.out, 0)).toBe(ins);
    sums.set(new Date(number * day).toISOString().slice(0, 10), ins);
  }
  for (const date of ["2025-12-25", "2025-12-26", "2026-01-01"]) expect(sums.get(date)).toBe(0);
  expect(sums.get("2025-12-20")).toBeGreaterThan((sums.get("2025-11-22") ?? Infinity) * 1.2);
});

test("a library that is closed on Sundays knows that no one came", () => {
  const sundays = recordsOf({ ...member, kind: "library" }).filter(({ s }) => localMoment(zone, s).weekday === 0);
  expect(sundays.length).toBeGreaterThanOrEqual(6 * 96);
  for (const record of sundays) {
    expect(people(record)).toEqual({ in: 0, out: 0 });
    expect(record).toMatchObject({ osd: 0, upS: 900 });
  }
});

test("without power nothing is recorded, and a sensor that fell silent ends where it did", () => {
  const [from, to] = [past.to - 21 * day, past.to - 14 * day];
  const faults = parseFaults(`silent@${(from - past.to) / 60_000}+${(to - from) / 60_000}`);
  const until = past.to - 3 * day;
  const dark = recordsOf({ ...member, faults, until });
  const expected = recordsOf(member).filter(({ s }) => (s < from || s >= to) && s < until);
  expect(dark).toEqual(expected);
});
