// Sums the counts of many locations by bucket. Hours of recent months are summed by the database, those of packs from their columns.
import { dayMs, hourMs } from "@psp/contract/kit/zone.ts";
import { sql } from "kysely";
import { readCounts } from "../../count/count.store.ts";
import { maxDurationMs, sumCounts } from "../../count/count.rules.ts";
import { utcMonth, utcMonthStart } from "../../count/month.rules.ts";
import { type PackedColumns, unpackColumns } from "../../count/pack.rules.ts";
import { monthsWithin, startsWithin } from "../../count/partition/pruning.store.ts";
import { toPgColumn } from "../../db/arrays.ts";
import type { Reader } from "../../db/database.ts";
import type { Range } from "../bucket.rules.ts";
import { createTurns } from "../../kit/limits/turns.ts";
import { type LocationStays, sumLocationsByDay, visitLocationStarts } from "../place-sums.store.ts";
import { clipSlices, toSlices } from "../stay.store.ts";
import { addAt, at, createSeries, type HourSpan, type Series, type Steps } from "./steps.rules.ts";

export type AskedSeries = { place: LocationStays; steps: Steps };

/** Sensor months per statement, to bound memory. A shorter window counts for at least `minMonth`, because of its pack. */
const monthsAtOnce = 64;
const minMonth = 1 / 8;
/** Up to this length, the database divides hours by opening hours, too. It has to read a longer range once per open period. */
const maxOpenWindowsMs = 2 * dayMs;

/** `isOpenOnly`: of hours in short ranges, the part within opening hours is sufficient. */
export async function sumSeries(reader: Reader, asked: readonly AskedSeries[], isOpenOnly = false): Promise<Series[]> {
  const series = asked.map(({ place, steps }) => createSeries(steps.count, place.hours !== null));
  const byHour = asked.flatMap((one, index) => {
    const into = series[index];
    return into && isByWindow(one) ? hourWindows(one, into, isOpenOnly) : [];
  });
  for (const some of inGroups(byHour)) await addHours(reader, some);
  await addOpenHours(reader, asked, series);
  const byDay = asked.flatMap((one, index) => (one.steps.hours ? [] : [{ ...one, index }]));
  if (byDay.length === 0) return series;
  const days = await sumLocationsByDay(
    reader,
    byDay.map(({ place, steps: { range } }) => ({ place, range })),
  );
  for (const [nth, { steps, index }] of byDay.entries()) {
    const into = series[index];
    for (const [day, sums] of [...(days[nth] ?? [])].toSorted(([a], [b]) => a - b))
      if (into) addAt(into, steps.ofDay(day), sums);
  }
  return series;
}

const isByWindow = ({ place: { hours }, steps: { range } }: AskedSeries) =>
  hours === null || range.to - range.from <= maxOpenWindowsMs;

/** Which part of an hour lies within opening hours follows from each count. Reads one location after the other, in short turns. */
async function addOpenHours(reader: Reader, asked: readonly AskedSeries[], series: readonly Series[]): Promise<void> {
  const nextTurn = createTurns();
  for (const [index, one] of asked.entries()) {
    const into = series[index];
    const { place, steps } = one;
    const { hours, range } = steps;
    if (isByWindow(one) || hours === null || place.hours === null || into === undefined) continue;
    await visitLocationStarts(reader, [{ place, range }], (_, startMs, sums) => {
      const span = hours.find(({ from, to }) => startMs >= from && startMs < to);
      if (span) addAt(into, bucketOfHour(span, hourOf(span, startMs)), sums);
    });
    await nextTurn();
  }
}

const hourOf = ({ offsetMs }: HourSpan, ms: number) => Math.floor((ms + offsetMs) / hourMs);
const bucketOfHour = ({ base, firstHour }: HourSpan, hour: number) => base + hour - firstHour;

type Target = Pick<Series, "in" | "out" | "knownMs">;

/**
 * Time of one sensor at one location, without a clock change, of at most a year. Only people and known time within `open` are added; a
 * record that starts before it may reach into it.
 */
type Window = { into: Target; num: number; from: number; to: number; span: HourSpan; open: Range };

const always: Range = { from: 0, to: Number.MAX_SAFE_INTEGER };

function hourWindows({ place: { stays, hours }, steps }: AskedSeries, series: Series, isOpenOnly: boolean): Window[] {
  const windows: Window[] = [];
  const openPart: Target = { in: series.openIn, out: series.openOut, knownMs: series.openKnownMs };
  for (const stay of stays) {
    for (const span of steps.hours ?? []) {
      const [slice] = clipSlices(toSlices([stay], null), Math.max(span.from, stay.firstCountMs), span.to);
      if (!slice) continue;
      const { sensorNum: num, fromMs, toMs } = slice;
      for (let from = isOpenOnly && hours !== null ? toMs : fromMs; from < toMs;) {
        const to = Math.min(toMs, utcMonthStart(utcMonth(from) + 12));
        windows.push({ into: series, num, from, to, span, open: always });
        from = to;
      }
      for (const open of hours?.time.spansBetween(fromMs, toMs + maxDurationMs) ?? []) {
        const from = Math.max(fromMs, open.from - maxDurationMs);
        windows.push({ into: openPart, num, from, to: Math.min(toMs, open.to), span, open });
      }
    }
  }
  return windows;
}

function* inGroups(windows: readonly Window[]): Generator<Window[]> {
  let group: Window[] = [];
  let months = 0;
  for (const window of windows) {
    group.push(window);
    months += Math.max(minMonth, (window.to - window.from) / (31 * dayMs));
    if (months < monthsAtOnce) continue;
    yield group;
    [group, months] = [[], 0];
  }
  if (group.length > 0) yield group;
}

function monthsOf({ from, to }: Window): number[] {
  const first = utcMonth(from);
  return Array.from({ length: utcMonth(to - 1) - first + 1 }, (_, n) => first + n);
}

type Row = {
  /** Position of the window, or of the sensor month of a pack. */
  place: number;
  hour: number;
  in: number;
  out: number;
  knownMs: number;
  body: Buffer | null;
};

async function addHours(reader: Reader, windows: readonly Window[]): Promise<void> {
  const keys = new Map<string, { num: number; month: number; windows: Window[] }>();
  for (const window of windows) {
    for (const month of monthsOf(window)) {
      const key = `${window.num}/${month}`;
      keys.getOrInsertComputed(key, () => ({ num: window.num, month, windows: [] })).windows.push(window);
    }
  }
  const packs = [...keys.values()];
  // One statement, so that a month that is being packed is seen exactly once. People of all lines of a start add up, but its known
  // time counts once.
  const { rows } = await sql<Row>`
    select w.place::int, h.hour::int, h."in"::bigint, h."out"::bigint, h."knownMs"::bigint, null::bytea as body
    from unnest(${toPgColumn(windows, (w) => w.num)}::int[], ${toPgColumn(windows, (w) => w.from)}::bigint[],
      ${toPgColumn(windows, (w) => w.to)}::bigint[], ${toPgColumn(windows, (w) => w.span.offsetMs)}::bigint[],
      ${toPgColumn(windows, (w) => w.open.from)}::bigint[], ${toPgColumn(windows, (w) => w.open.to)}::bigint[])
      with ordinality w (num, f, t, shift, open_f, open_t, place)
    cross join lateral (
      select (start_ms + w.shift) / ${sql.lit(hourMs)} as hour, coalesce(sum(n_in) filter (where start_ms >= w.open_f), 0) as "in",
        coalesce(sum(n_out) filter (where start_ms >= w.open_f), 0) as "out",
        sum(round(known_ms::float8 * greatest(0, least(start_ms + duration_ms, w.open_t) - greatest(start_ms, w.open_f))
          / greatest(1, duration_ms))) as "knownMs" from (
        select start_ms, coalesce(sum(n_in) filter (where not is_ahead), 0) as n_in,
          coalesce(sum(n_out) filter (where not is_ahead), 0) as n_out,
          coalesce(max(known_ms) filter (where not is_ahead), 0) as known_ms,
          coalesce(max(duration_ms) filter (where not is_ahead), 0) as duration_ms
        from count_hot where sensor_num = w.num and start_ms >= w.f and start_ms < w.t and ${startsWithin(windows, (w) => w)}
        group by start_ms
      ) s group by 1
    ) h
    union all
    select k.place::int, null, null, null, null, p.body
    from unnest(${toPgColumn(packs, ({ num }) => num)}::int[], ${toPgColumn(packs, ({ month }) => month)}::int[])
      with ordinality k (num, month, place)
    cross join lateral (
      select body from count_pack where sensor_num = k.num and month = k.month
        and ${monthsWithin(packs.map(({ month }) => month))} offset 0
    ) p`.execute(reader);
  const packed = rows.flatMap(({ place, body }) => {
    const pack = packs[place - 1];
    return body && pack ? [{ ...pack, body }] : [];
  });
  const mixed = await addMixed(reader, windows, { rows, packed });
  for (const row of rows) {
    const window = windows[row.place - 1];
    if (row.body || !window || mixed.has(window)) continue;
    addHour(window, row.hour, row);
  }
  await addPacks(packed, mixed);
}

function addHour({ into, span }: Window, hour: number, sums: Pick<Row, "in" | "out" | "knownMs">): void {
  const index = bucketOfHour(span, hour);
  if (index < 0 || index >= into.in.length) return;
  into.in[index] = at(into.in, index) + sums.in;
  into.out[index] = at(into.out, index) + sums.out;
  into.knownMs[index] = at(into.knownMs, index) + sums.knownMs;
}

/** Share of an interval that lies within the window's open time. */
function openShare({ open }: Window, startMs: number, durationMs: number): number {
  if (open === always) return 1;
  return durationMs <= 0
    ? 0
    : Math.max(0, Math.min(startMs + durationMs, open.to) - Math.max(startMs, open.from)) / durationMs;
}

type Pack = { num: number; month: number; windows: Window[]; body: Buffer };

/** Sums windows that have both rows and a pack of the same month count by count, because rows may override packed counts. */
async function addMixed(
  reader: Reader,
  windows: readonly Window[],
  { rows, packed }: { rows: readonly Row[]; packed: readonly Pack[] },
): Promise<Set<Window>> {
  const packedMonths = new Set(packed.map(({ num, month }) => `${num}/${month}`));
  const mixed = new Set<Window>();
  if (packedMonths.size === 0) return mixed;
  for (const { place, hour, body } of rows) {
    const window = windows[place - 1];
    if (body || !window || mixed.has(window)) continue;
    const from = hour * hourMs - window.span.offsetMs;
    const months = [utcMonth(Math.max(from, window.from)), utcMonth(from + hourMs - 1)];
    if (months.some((month) => packedMonths.has(`${window.num}/${month}`))) mixed.add(window);
  }
  for (const window of mixed) {
    for (const month of monthsOf(window)) {
      const from = Math.max(window.from, utcMonthStart(month));
      const to = Math.min(window.to, utcMonthStart(month + 1));
      const counts = (await readCounts(reader, [window.num], from, to)).get(window.num) ?? [];
      for (const [startMs, same] of Map.groupBy(counts, ({ startMs }) => startMs)) {
        const sums = sumCounts(same);
        const people = startMs >= window.open.from ? sums : { in: 0, out: 0 };
        const knownMs = Math.round(sums.knownMs * openShare(window, startMs, sums.durationMs));
        addHour(window, hourOf(window.span, startMs), { in: people.in, out: people.out, knownMs });
      }
    }
  }
  return mixed;
}

async function addPacks(packed: readonly Pack[], mixed: ReadonlySet<Window>): Promise<void> {
  const nextTurn = createTurns();
  for (const { body, windows } of packed) {
    const columns = unpackColumns(
      body,
      Math.min(...windows.map(({ from }) => from)),
      Math.max(...windows.map(({ to }) => to)),
    );
    const hasLines = columns.lineNos.some((line) => line !== columns.lineNos[0]);
    for (const window of windows) if (!mixed.has(window)) addColumns(columns, hasLines, window);
    await nextTurn();
  }
}

function addColumns(columns: PackedColumns, hasLines: boolean, window: Window): void {
  const { n, starts, durations, marks, ins, outs, knownMs } = columns;
  const known = hasLines ? new Map<number, number>() : null;
  const { from, to, into, span, open } = window;
  for (let i = 0; i < n; i += 1) {
    const startMs = at(starts, i);
    const isAhead = (at(marks, i) & 1) === 1;
    if (startMs < from || startMs >= to || isAhead) continue;
    const bucket = bucketOfHour(span, hourOf(span, startMs));
    if (bucket < 0 || bucket >= into.in.length) continue;
    let more = Math.round(at(knownMs, i) * openShare(window, startMs, at(durations, i)));
    if (known) {
      const counted = known.get(startMs) ?? 0;
      known.set(startMs, Math.max(counted, more));
      more = Math.max(0, more - counted);
    }
    // Written out, because allocating an object per count would dominate the run time.
    into.knownMs[bucket] = at(into.knownMs, bucket) + more;
    if (startMs < open.from) continue;
    into.in[bucket] = at(into.in, bucket) + at(ins, i);
    into.out[bucket] = at(into.out, bucket) + at(outs, i);
  }
}
