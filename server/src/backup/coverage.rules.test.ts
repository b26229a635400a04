// Tests which backup and which log a restore uses, with segments of 16 bytes.
import { expect, test } from "vitest";
import { segmentsBetween } from "../db/postgres/wal.ts";
import { chooseBase, planSegments } from "./coverage.rules.ts";

const space = { timeline: 1, segmentBytes: 16 };
const base = (name: string, at: string, startLsn: string, lsn: string) => ({
  ...space,
  name,
  startLsn,
  point: { lsn, at },
});
const one = base("one", "2026-11-01T00:00:00.000Z", "0/12", "0/25");
const two = base("two", "2026-11-02T00:00:00.000Z", "0/80", "0/85");

test.each([
  [null, "two"],
  ["2026-10-31T23:59:59Z", undefined],
  ["2026-11-01T00:00:00Z", "one"],
  ["2026-11-01T23:59:59Z", "one"],
  ["2026-11-02T00:00:00Z", "two"],
])("at %s the base backup is %s", (at, name) => {
  expect(chooseBase([two, one], at === null ? null : new Date(at))?.name).toBe(name);
});

const [, second = "", third = "", fourth = "", fifth = "", sixth = ""] = segmentsBetween(space, 0, 0x60);

test.each([
  ["no archive", {}, [`${second} base`, `${third} base`], false, false],
  [
    "an archive that ends before the restore point",
    { [second]: 16, [third]: 2 },
    [`${second} archive`, `${third} base`],
    false,
    false,
  ],
  [
    "an archive that began later",
    { [third]: 16, [fourth]: 3 },
    [`${second} base`, `${third} archive`, `${fourth} archive`],
    true,
    false,
  ],
  ["a gap", { [third]: 16, [fifth]: 16, [sixth]: 1 }, [`${second} base`, `${third} archive`], true, true],
])("%s", (_, archived, expected, isArchived, hasGap) => {
  const plan = planSegments(one, new Map(Object.entries<number>(archived)));
  expect(plan.segments.map(({ name, from }) => `${name} ${from}`)).toEqual(expected);
  expect(plan).toMatchObject({ isArchived, hasGap });
});

test("segments have PostgreSQL's names", () => {
  const real = { timeline: 2, segmentBytes: 16 * 1024 * 1024 };
  expect(segmentsBetween(real, 0xfe_00_00_10, 0x1_01_00_00_00)).toEqual([
    "0000000200000000000000FE",
    "0000000200000000000000FF",
    "000000020000000100000000",
  ]);
});
