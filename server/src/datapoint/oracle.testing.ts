// A simple implementation of the counting rules that shares no code with the server and uses Temporal for every record.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";

type Fact = {
  sensor: number;
  line: string;
  s: number;
  e: number;
  in: number;
  out: number;
  known: number;
  osd: number;
  ahead: boolean;
  cls: string;
};
type Stay = { sensor: number; from: number; to: number; location: string };
export type ExpectedCounts = { in: number; out: number; completeness: number };

export type Oracle = ReturnType<typeof createOracle>;

export function createOracle() {
  let facts: Fact[] = [];
  let stays: Stay[] = [];
  const zones = new Map<string, string>();
  const enrolled = new Map<number, number>();

  function put(sensor: number, record: CountRecord, now: number): string {
    if (record.ck === "bad" || record.e <= record.s || record.e - record.s > 3_600_000) return "invalid";
    if (record.s < Date.parse("2000-01-01T00:00:00Z") || record.e >= Date.parse("2100-01-01T00:00:00Z"))
      return "invalid";
    const ahead = record.e > now + 600_000;
    const wanted = record.lines.map((line) => ({
      sensor,
      line: line.id,
      s: record.s,
      e: record.e,
      in: line.in,
      out: line.out,
      known: record.osd === 1 ? 0 : Math.min(record.e - record.s, (record.upS ?? 1e9) * 1000),
      osd: record.osd,
      ahead,
      cls: JSON.stringify(line.cls ?? {}),
    }));
    const old = (fact: Fact) =>
      facts.find((one) => one.sensor === sensor && one.line === fact.line && one.s === fact.s);
    const differing = wanted.filter((fact) => JSON.stringify(old(fact)) !== JSON.stringify(fact));
    if (differing.length === 0) return "same";
    const meets = facts.some(
      (one) => one.sensor === sensor && !one.ahead && one.s !== record.s && one.s < record.e && one.e > record.s,
    );
    if (!ahead && meets) return "overlap";
    const outcome = differing.some((fact) => old(fact)) ? "corrected" : "stored";
    facts = [...facts.filter((one) => !differing.some((fact) => old(fact) === one)), ...differing];
    return outcome;
  }

  function assign(sensor: number, location: string | null, at: number): void {
    stays = stays.filter((stay) => stay.sensor !== sensor || stay.from < at);
    for (const stay of stays) if (stay.sensor === sensor && stay.to > at) stay.to = at;
    if (location) stays.push({ sensor, from: at, to: Infinity, location });
  }

  function staysOf(sensor: number): Stay[] {
    return stays.filter((stay) => stay.sensor === sensor).sort((a, b) => a.from - b.from);
  }
  function placeOf(sensor: number, at: number): string | null {
    const stays = staysOf(sensor);
    if (stays[0] && at < stays[0].from) return stays[0].location;
    return stays.find((stay) => stay.from <= at && at < stay.to)?.location ?? null;
  }

  /** A sensor is active from its enrollment or its first count, whichever is earlier. */
  const isActive = (sensor: number, at: number) => at >= Math.min(enrolled.get(sensor) ?? Infinity, firstOf(sensor));

  /** Whether the location's completeness includes the sensor at this instant. */
  function counts(sensor: number, location: string, at: number): boolean {
    const [first] = staysOf(sensor);
    if (!first || placeOf(sensor, at) !== location) return false;
    return at >= first.from ? isActive(sensor, at) : at >= firstOf(sensor);
  }

  /** The number of sensors that a location's completeness expects, at each change. In a gap between sensors, it is 1. */
  function levels(location: string): { at: number; level: number }[] {
    const sensors = [...new Set(stays.map((stay) => stay.sensor))];
    const cuts = [
      ...stays.flatMap((stay) => [stay.from, stay.to]),
      ...sensors.flatMap((num) => [firstOf(num), enrolled.get(num) ?? Infinity]),
    ];
    const found = [...new Set(cuts)]
      .filter((at) => at < Infinity)
      .sort((a, b) => a - b)
      .map((at) => ({ at, level: sensors.filter((num) => counts(num, location, at)).length }));
    const [first, last] = [found.findIndex(({ level }) => level > 0), found.findLastIndex(({ level }) => level > 0)];
    return found.map(({ at, level }, n) => ({ at, level: level === 0 && n > first && n < last ? 1 : level }));
  }

  function sum(of: { location: string } | { sensor: number }, from: number, to: number): ExpectedCounts {
    const mine = facts.filter(
      (fact) =>
        !fact.ahead &&
        fact.s >= from &&
        fact.s < to &&
        ("sensor" in of ? fact.sensor === of.sensor : placeOf(fact.sensor, fact.s) === of.location),
    );
    const known = new Map<string, number>();
    for (const fact of mine) {
      const key = `${fact.sensor} ${fact.s}`;
      known.set(key, Math.max(known.get(key) ?? 0, fact.known));
    }
    let expected = 0;
    if ("sensor" in of) {
      expected = Math.max(0, to - Math.max(from, Math.min(enrolled.get(of.sensor) ?? Infinity, firstOf(of.sensor))));
    } else {
      const steps = levels(of.location);
      steps.forEach(({ at, level }, n) => {
        const until = Math.min(to, steps[n + 1]?.at ?? Infinity);
        expected += level * Math.max(0, until - Math.max(from, at));
      });
    }
    const total = [...known.values()].reduce((a, b) => a + b, 0);
    return {
      in: mine.reduce((sum, fact) => sum + fact.in, 0),
      out: mine.reduce((sum, fact) => sum + fact.out, 0),
      completeness: expected === 0 ? 0 : Math.min(1, total / expected),
    };
  }
  function firstOf(sensor: number): number {
    return Math.min(...facts.filter((fact) => fact.sensor === sensor).map((fact) => fact.s));
  }
  return {
    put,
    assign,
    sum,
    zones,
    enroll: (sensor: number, at: number) => void enrolled.set(sensor, at),
    presentPlace: (sensor: number) => staysOf(sensor).find((stay) => stay.to === Infinity)?.location ?? null,
  };
}

const weekday = (date: Temporal.PlainDate) => date.dayOfWeek;

/** Computes buckets by walking through local time; a day starts at its first existing instant. */
export function computeExpectedBuckets(
  zone: string,
  acc: string,
  from: number,
  to: number,
): { from: number; to: number }[] {
  if (acc === "total") return [{ from, to }];
  const edges = new Set<number>();
  if (acc === "hour") {
    let label = "";
    for (let at = from; at < to; at += 60_000) {
      const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
      const now = `${local.toPlainDate().toString()} ${local.hour} ${local.offset}`;
      if (now !== label) edges.add(at);
      label = now;
    }
  } else {
    let date = Temporal.Instant.fromEpochMilliseconds(from - 400 * 86_400_000)
      .toZonedDateTimeISO(zone)
      .toPlainDate();
    const end = Temporal.Instant.fromEpochMilliseconds(to + 400 * 86_400_000)
      .toZonedDateTimeISO(zone)
      .toPlainDate();
    for (; Temporal.PlainDate.compare(date, end) < 0; date = date.add({ days: 1 })) {
      if (acc === "week" && weekday(date) !== 1) continue;
      if (acc === "month" && date.day !== 1) continue;
      if (acc === "year" && date.dayOfYear !== 1) continue;
      edges.add(date.toZonedDateTime(zone).epochMilliseconds);
    }
  }
  const inside = [...edges].filter((edge) => edge > from && edge < to);
  const sorted = [from, ...inside, to].sort((a, b) => a - b);
  return sorted.slice(0, -1).map((start, index) => ({ from: start, to: sorted[index + 1] ?? to }));
}
