// Random shops for the oracle of counts within opening hours: zones, hours, sensors that move, and records with gaps.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { type OpeningHours, openingHoursInput, weekdays } from "@psp/contract/opening/opening-hours.ts";
import { countRecord } from "../datapoint/site.testing.ts";
import { type Chance, pick } from "../testing/chance.ts";
import { dayStart, plainDate, type Stay } from "./open.oracle.testing.ts";

/** Zones with local dates around which something happens to their clocks. */
export const zones = [
  { zone: "Europe/Berlin", dates: ["2026-03-29", "2025-10-26"] },
  { zone: "Australia/Lord_Howe", dates: ["2026-04-05", "2025-10-05"] },
  { zone: "Asia/Kathmandu", dates: ["2026-02-01"] },
  { zone: "Pacific/Chatham", dates: ["2026-04-05", "2025-09-28"] },
  // Until 2011 the clocks of St. John's changed one minute after midnight.
  { zone: "America/St_Johns", dates: ["2026-03-08", "2025-11-02", "2010-11-07", "2010-03-14"] },
  { zone: "Asia/Beirut", dates: ["2026-03-29", "2025-10-26"] },
  { zone: "America/Scoresbysund", dates: ["2026-03-29", "2025-10-26", "2023-03-26", "2022-10-30"] },
  { zone: "America/Havana", dates: ["2026-03-08", "2025-11-02"] },
  { zone: "Pacific/Apia", dates: ["2011-12-30", "2011-09-24"] },
  { zone: "America/New_York", dates: ["2026-03-08", "2025-11-02"] },
  { zone: "Antarctica/Troll", dates: ["2026-03-29", "2025-10-26"] },
  { zone: "UTC", dates: ["2025-12-31"] },
] as const;

export type Period = { first: string; last: string };

/** `dataFrom` is early enough for a comparison with the previous period. */
export function periodUntil(date: string, days: number): Period & { dataFrom: string } {
  const last = plainDate(date);
  return {
    first: last.subtract({ days: days - 1 }).toString(),
    last: last.toString(),
    dataFrom: last.subtract({ days: days + Math.ceil(days / 7) * 7 + 1 }).toString(),
  };
}

export const periodAround = (date: string, days: number) =>
  periodUntil(
    plainDate(date)
      .add({ days: Math.floor(days / 2) })
      .toString(),
    days,
  );

const clockText = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

/** Ranges that don't overlap; the last one may run over midnight, to at most `spill`. */
function randomRanges(
  chance: Chance,
  { lengths, spill, from }: { lengths: readonly number[]; spill: number; from: number },
) {
  const ranges: { from: string; to: string }[] = [];
  let at = from + chance.below(pick([1, 120, 600], chance));
  for (let n = 1 + chance.below(2); n > 0 && at < 1430; n -= 1) {
    const start = pick([at, Math.ceil(at / 15) * 15, Math.ceil(at / 60) * 60], chance);
    const end = start + pick(lengths, chance);
    if (start > 1438) break;
    const isSpilling = end > 1440 && spill > 0 && end - 1440 < start;
    const to = isSpilling ? 1440 + Math.min(spill, end - 1440) : Math.min(end, 1440);
    ranges.push({ from: clockText(start), to: clockText(to > 1440 ? to - 1440 : to) });
    at = to + chance.below(100);
  }
  return ranges;
}

const anyLength = [1, 20, 90, 240, 480, 1380];
/** For long tests, which have records near opening hours only. */
export const shortLengths = [1, 20, 90, 90, 180];

export function randomHours(chance: Chance, { first, last }: Period, lengths = anyLength): OpeningHours {
  const spill = pick([0, 0, 65, 180], chance);
  const closed = chance.below(8);
  const day = () => randomRanges(chance, { lengths, spill, from: spill });
  const week = Object.fromEntries(weekdays.map((name, index) => [name, index === closed ? null : day()]));
  const count = plainDate(first).until(plainDate(last)).days + 15;
  const dates = Array.from({ length: 1 + chance.below(6) }, () =>
    plainDate(first)
      .add({ days: chance.below(count) - 14 })
      .toString(),
  );
  const exceptions = [...new Set(dates)].map((date) => ({
    date,
    name: "Exception",
    // An exception may overlap the end of the range of the day before.
    hours: pick(
      [null, [], [{ from: "00:00", to: "24:00" }], randomRanges(chance, { lengths, spill: 600, from: 0 })],
      chance,
    ),
  }));
  const calendar = pick(
    [null, { country: "DE", region: "BE" }, { country: "US" }, { country: "CU" }, { country: "LB" }, { country: "AU" }],
    chance,
  );
  const holidays = calendar && { ...calendar, closed: chance.below(4) > 0 };
  return openingHoursInput.parse({ week, exceptions, holidays });
}

/** `density`: percent of the time with records. In the hours before and after `dayTime`, they are rarer by a factor of 8. */
export type Style = { density: number; lengths: readonly number[]; isOdd: boolean; isSparse: boolean };

export function randomStyle(chance: Chance, isSparse: boolean): Style {
  const lengths = isSparse ? [60] : pick([[1], [7, 13], [15], [30, 47], [60], [60, 60, 25]], chance);
  return { density: pick([100, 99, 90, 81, 60], chance), lengths, isOdd: chance.below(3) === 0, isSparse };
}

/** Records of one sensor that don't overlap. `isWanted` limits those of sparse styles, as a year has too many hours. */
export function randomRecords(
  chance: Chance,
  time: { from: number; to: number },
  style: Style,
  isWanted: (ms: number) => boolean,
): CountRecord[] {
  const records: CountRecord[] = [];
  let at = time.from + (style.isOdd ? chance.below(3_600_000) : 0);
  while (at < time.to) {
    const length = pick(style.lengths, chance) * 60_000 - (style.isOdd ? chance.below(1000) : 0);
    // Short records fill a part of the day only.
    const isBreak = style.lengths[0] === 1 && chance.below(60) === 0;
    if (chance.below(100) < style.density && isWanted(at) && at + length <= time.to) {
      const seconds = Math.floor(length / 1000);
      const osd = pick([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 5] as const, chance);
      const record = countRecord(
        at,
        length / 1000,
        {
          door: [chance.below(9), chance.below(7)],
          ...(chance.below(4) === 0 ? { side: [chance.below(3), 0] as [number, number] } : {}),
        },
        { osd: chance.below(5) === 0 ? osd : 0, ...(chance.below(9) === 0 ? { upS: chance.below(seconds + 1) } : {}) },
      );
      records.push(record);
    }
    at += length + (isBreak ? chance.below(60) * 3_600_000 : 0);
  }
  return records;
}

/** Places of a sensor over time: mostly one, sometimes a move, a pause, or a return. Index -1 is no place. */
export function randomMoves(chance: Chance, places: number, home: number, time: { from: number; to: number }) {
  const length = time.to - time.from;
  const since = chance.below(3) === 0 ? time.from + chance.below(Math.floor(length / 2)) : time.from - 86_400_000;
  const moves = [{ at: since, place: home }];
  let at = since;
  for (let n = chance.below(3) === 0 ? 1 + chance.below(3) : 0; n > 0; n -= 1) {
    at += pick([3_600_000, 86_400_000, 1234567], chance) + chance.below(Math.floor(length / 3));
    if (at >= time.to) break;
    const before = moves.at(-1)?.place;
    const next = pick([-1, home, chance.below(places)], chance);
    if (next !== before) moves.push({ at, place: next });
  }
  return moves;
}

export function staysOf(sensor: number, moves: readonly { at: number; place: number }[], place: number): Stay[] {
  return moves.flatMap((move, index) =>
    move.place === place ? [{ sensor, from: move.at, to: moves[index + 1]?.at ?? Infinity, isFirst: index === 0 }] : [],
  );
}

export const instantsOf = (zone: string, from: string, to: string) => ({
  from: dayStart(plainDate(from), zone),
  to: dayStart(plainDate(to).add({ days: 1 }), zone),
});
