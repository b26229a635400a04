// Oracle for counts within opening hours (docs/rules/counts.md): looks at every minute, with Temporal and plain loops only.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";

const minute = 60_000;
const day = 1440;

export type By = "hour" | "day" | "week" | "month";
/** Half-open, in ms. */
export type Time = { from: number; to: number };
/** When a sensor was assigned to the place. The first assignment of a sensor also has the records before it. */
export type Stay = Time & { sensor: number; isFirst: boolean };
export type Place = {
  zone: string;
  /** Null: always open. */
  hours: OpeningHours | null;
  isHoliday: (date: string) => boolean;
  stays: Stay[];
  /** Of all sensors that were ever here; those that belong to other places are ignored. */
  records: { sensor: number; record: CountRecord }[];
  now: number;
};
export type Sum = { in: number | null; out: number | null; completeness: number | null };
/** What is added up before it is judged. `known` and `expected` are open ms; `anyKnown` also has those outside opening hours. */
export type Tally = { in: number; out: number; known: number; anyKnown: number; expected: number };

/** The local clock: minutes since 1970 as if the local time were UTC. Reads each offset once, until the next clock change. */
function createClock(zone: string): (ms: number) => number {
  const spans: (Time & { offset: number })[] = [];
  let span: (typeof spans)[number] | undefined;
  return (ms) => {
    // Most calls are in the same span as the previous one.
    if (!span || ms < span.from || ms >= span.to) span = spans.find(({ from, to }) => ms >= from && ms < to);
    if (!span) {
      const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(zone);
      // A change exactly at this instant counts as the previous one.
      const from = at.add({ nanoseconds: 1 }).getTimeZoneTransition("previous")?.epochMilliseconds ?? -Infinity;
      const to = at.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity;
      span = { from, to, offset: at.offsetNanoseconds / 1e6 };
      spans.push(span);
    }
    return Math.floor((ms + span.offset) / minute);
  };
}

export const plainDate = (date: string) => Temporal.PlainDate.from(date);

const dayStarts = new Map<string, number>();
/** The first instant of a local day. Kept, because Temporal is slow. */
export function dayStart(date: Temporal.PlainDate, zone: string): number {
  const key = `${date.year}-${date.month}-${date.day} ${zone}`;
  const known = dayStarts.get(key) ?? date.toZonedDateTime(zone).epochMilliseconds;
  dayStarts.set(key, known);
  return known;
}
const dateOf = (localMinute: number) => new Temporal.PlainDate(1970, 1, 1).add({ days: Math.floor(localMinute / day) });

/** Which minutes of a local day, and of the day after it, the ranges of this day open. */
function minutesOpenedBy({ hours, isHoliday }: Place, date: Temporal.PlainDate): boolean[] {
  const open = Array.from({ length: 2 * day }, () => false);
  if (!hours) return open.map((_, at) => at < day);
  const { week, exceptions, holidays } = hours;
  const exception = exceptions.find((one) => one.date === date.toString());
  const weekday = [week.mo, week.tu, week.we, week.th, week.fr, week.sa, week.su][date.dayOfWeek - 1] ?? [];
  const isClosedHoliday = holidays?.closed === true && isHoliday(date.toString());
  for (const range of exception ? exception.hours : isClosedHoliday ? [] : weekday) {
    const [from = 0, to = 0] = [range.from, range.to].map((text) => {
      const [hour, min] = text.split(":").map(Number);
      return (hour ?? 0) * 60 + (min ?? 0);
    });
    const end = to <= from ? to + day : to;
    for (let at = from; at < end; at += 1) open[at] = true;
  }
  return open;
}

export type Oracle = ReturnType<typeof createOracle>;

export function createOracle(place: Place) {
  const clock = createClock(place.zone);
  const opened = new Map<number, boolean[]>();
  const openedBy = (localDay: number) => {
    const known = opened.get(localDay) ?? minutesOpenedBy(place, dateOf(localDay * day));
    opened.set(localDay, known);
    return known;
  };
  /** Minutes of the local day that was asked for last, opened by its own ranges or by those of the day before. */
  let last = { localDay: NaN, open: [] as boolean[] };

  function isOpen(ms: number): boolean {
    const shown = clock(ms);
    const today = Math.floor(shown / day);
    if (last.localDay !== today) last = { localDay: today, open: minutesOf(today) };
    return last.open[shown - today * day] === true;
  }
  function minutesOf(localDay: number): boolean[] {
    const [own, before] = [openedBy(localDay), openedBy(localDay - 1)];
    return Array.from({ length: day }, (_, at) => own[at] === true || before[at + day] === true);
  }

  /** Open ms, minute by minute. */
  function countMinutes({ from, to }: Time): number {
    let sum = 0;
    for (let at = Math.floor(from / minute) * minute; at < to; at += minute)
      if (isOpen(at)) sum += Math.min(to, at + minute) - Math.max(from, at);
    return sum;
  }
  /** The same, with the sum of each whole UTC day kept. */
  const kept = new Map<number, number>();
  function openMs({ from, to }: Time): number {
    let sum = 0;
    for (let at = from; at < to;) {
      const start = Math.floor(at / (day * minute)) * day * minute;
      const end = Math.min(to, start + day * minute);
      const isWhole = at === start && end - start === day * minute;
      const part = (isWhole ? kept.get(start) : undefined) ?? countMinutes({ from: at, to: end });
      if (isWhole) kept.set(start, part);
      sum += part;
      at = end;
    }
    return sum;
  }

  const own = place.records.flatMap(({ sensor, record }) => {
    const stay = place.stays.find(
      (one) => one.sensor === sensor && record.s < one.to && (record.s >= one.from || one.isFirst),
    );
    return stay ? [{ record, stay }] : [];
  });
  /** A sensor is expected from its assignment on; at its first place from its first count on. */
  const stays = place.stays.map((stay) => ({
    from: Math.min(stay.from, ...own.filter((one) => one.stay === stay).map(({ record }) => record.s)),
    to: Math.min(stay.to, place.now),
  }));

  const firstSensorAt = Math.min(...stays.map(({ from }) => from));
  const lastSensorUntil = Math.max(...stays.map(({ to }) => to));

  function expectedMs(time: Time): number {
    const from = Math.max(time.from, firstSensorAt);
    const to = Math.min(time.to, lastSensorUntil);
    if (from >= to) return 0;
    const inside = (at: number) => at > from && at < to;
    const cuts = [from, ...stays.flatMap((stay) => [stay.from, stay.to]).filter(inside), to].toSorted((a, b) => a - b);
    let sum = 0;
    for (const [index, start] of cuts.entries()) {
      const end = cuts[index + 1] ?? start;
      const sensors = stays.filter((stay) => stay.from <= start && stay.to >= end).length;
      if (end > start) sum += Math.max(1, sensors) * openMs({ from: start, to: end });
    }
    return sum;
  }

  const facts = own
    .map(({ record }) => {
      const length = record.e - record.s;
      const known = record.osd === 1 ? 0 : Math.min(length, record.upS === undefined ? length : record.upS * 1000);
      return {
        at: record.s,
        isOpen: isOpen(record.s),
        in: record.lines.reduce((sum, line) => sum + line.in, 0),
        out: record.lines.reduce((sum, line) => sum + line.out, 0),
        anyKnown: known,
        known: Math.round((known * openMs({ from: record.s, to: record.e })) / length),
      };
    })
    .toSorted((a, b) => a.at - b.at);

  /** By halving: index of the first fact at or after an instant. */
  function firstFactAt(ms: number): number {
    let [low, high] = [0, facts.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((facts[middle]?.at ?? 0) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function tally(time: Time, open: boolean): Tally {
    const sum: Tally = { in: 0, out: 0, known: 0, anyKnown: 0, expected: expectedMs(time) };
    for (let index = firstFactAt(time.from); index < facts.length; index += 1) {
      const fact = facts[index];
      if (!fact || fact.at >= time.to) break;
      sum.known += fact.known;
      sum.anyKnown += fact.anyKnown;
      if (open && !fact.isOpen) continue;
      sum.in += fact.in;
      sum.out += fact.out;
    }
    return sum;
  }

  /** People outside opening hours; null if there are none. */
  function outside(time: Time): { in: number; out: number } | null {
    if (!place.hours) return null;
    const [all, within] = [tally(time, false), tally(time, true)];
    return { in: all.in - within.in, out: all.out - within.out };
  }

  const isClosed = (time: Time) => openMs(time) === 0;
  /** Open ms between the first and the last sensor. */
  const watchedMs = ({ from, to }: Time) =>
    openMs({ from: Math.max(from, firstSensorAt), to: Math.min(to, lastSensorUntil) });
  return { place, clock, isOpen, openMs, watchedMs, tally, outside, isClosed, firstSensorAt };
}

export function addTallies(tallies: readonly Tally[]): Tally {
  const zero: Tally = { in: 0, out: 0, known: 0, anyKnown: 0, expected: 0 };
  return tallies.reduce(
    (a, b) => ({
      in: a.in + b.in,
      out: a.out + b.out,
      known: a.known + b.known,
      anyKnown: a.anyKnown + b.anyKnown,
      expected: a.expected + b.expected,
    }),
    zero,
  );
}

/** Unknown is null: people where no time is known and no one was counted, completeness where nothing is expected. */
export function judge(tally: Tally, open: boolean): Sum {
  const isKnown = (open ? tally.known : tally.anyKnown) > 0 || tally.in + tally.out > 0;
  return {
    in: isKnown ? tally.in : null,
    out: isKnown ? tally.out : null,
    completeness: tally.expected === 0 ? null : Math.min(1, tally.known / tally.expected),
  };
}

/** Buckets of local days, both included. A bucket of hours ends at each full hour and at each clock change. */
export function buckets({ place, clock }: Oracle, by: By, first: string, last: string): Time[] {
  const [from, to] = [dayStart(plainDate(first), place.zone), dayStart(plainDate(last).add({ days: 1 }), place.zone)];
  const starts: number[] = [];
  if (by === "hour") {
    for (let at = from; at < to; at += minute)
      if (at === from || clock(at) % 60 === 0 || clock(at) - clock(at - minute) !== 1) starts.push(at);
  } else {
    for (let date = plainDate(first); dayStart(date, place.zone) < to; date = date.add({ days: 1 })) {
      const isStart = by === "day" || (by === "week" ? date.dayOfWeek === 1 : date.day === 1);
      if (isStart || date.equals(plainDate(first))) starts.push(dayStart(date, place.zone));
    }
  }
  return starts
    .map((start, index) => ({ from: start, to: starts[index + 1] ?? to }))
    .filter((time) => time.from < time.to);
}

export type Comparison = {
  current: Tally;
  earlier: Tally;
  skipped: number;
  change: { in: number | null; out: number | null };
};

/** The same local time `weeks` earlier. */
function earlierInstant(ms: number, zone: string, weeks: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDateTime();
  return local.subtract({ weeks }).toZonedDateTime(zone).epochMilliseconds;
}

/** The compared period. One that is not over yet is compared up to the same local time. */
export function earlierPart({ place: { zone, now } }: Oracle, first: string, last: string, weeks: number): Time {
  const [from, to] = [plainDate(first), plainDate(last).add({ days: 1 })];
  const end = dayStart(to.subtract({ weeks }), zone);
  const isRunning = now >= dayStart(from, zone) && now < dayStart(to, zone);
  return {
    from: dayStart(from.subtract({ weeks }), zone),
    to: isRunning ? Math.min(end, earlierInstant(now, zone, weeks)) : end,
  };
}

/** Pairs each day with the one `weeks` earlier. With `open`, pairs with a closed day are left out. */
export function compare(oracle: Oracle, first: string, last: string, weeks: number, open: boolean): Comparison {
  const { place, tally, isClosed, openMs, firstSensorAt } = oracle;
  const { zone, now } = place;
  const [currentDays, earlierDays]: [Tally[], Tally[]] = [[], []];
  let skipped = 0;
  let [openWhole, openWithSensor] = [0, 0];
  const whole = (date: Temporal.PlainDate) => ({
    from: dayStart(date, zone),
    to: dayStart(date.add({ days: 1 }), zone),
  });
  for (
    let date = plainDate(first);
    Temporal.PlainDate.compare(date, plainDate(last)) <= 0;
    date = date.add({ days: 1 })
  ) {
    const current = whole(date);
    if (current.from > now) break;
    const earlier = whole(date.subtract({ weeks }));
    // Without hours no day is closed, not even one that the zone skips.
    if (open && place.hours && (isClosed(current) || isClosed(earlier))) {
      skipped += 1;
      continue;
    }
    if (now < current.to) earlier.to = Math.min(earlier.to, earlierInstant(now, zone, weeks));
    currentDays.push(tally(current, open));
    earlierDays.push(tally(earlier, open));
    openWhole += openMs(earlier);
    openWithSensor += openMs({ ...earlier, from: Math.max(earlier.from, firstSensorAt) });
  }
  const [current, earlier] = [addTallies(currentDays), addTallies(earlierDays)];
  // The time before the first sensor is unknown: as many sensors are missing there as came on average later.
  if (openWithSensor > 0) earlier.expected *= openWhole / openWithSensor;
  return { current, earlier, skipped, change: changeOf(judge(current, open), judge(earlier, open)) };
}

/** In whole percent. None against an unknown number or 0, or if less than 80 % of either side is known. */
export function changeOf(now: Sum, before: Sum): { in: number | null; out: number | null } {
  const isFit = (now.completeness ?? 0) >= 0.8 && (before.completeness ?? 0) >= 0.8;
  const percent = (a: number | null, b: number | null) =>
    !isFit || a === null || b === null || b === 0 ? null : Math.round((a / b - 1) * 100) + 0;
  return { in: percent(now.in, before.in), out: percent(now.out, before.out) };
}
