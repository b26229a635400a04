// The count of a location as a ledger that can be replayed: whatever arrives in whichever order, the same facts give the same
// entries, because nothing is ever added to a counter (docs/rules/occupancy.md#count).
import type { LightState } from "@psp/contract/occupancy/occupancy.api.ts";
import { createBand } from "./band.rules.ts";
import { createDoors } from "./doors.rules.ts";

/** People whom a sensor counted in [startMs, endMs), all its lines together. */
export type Interval = {
  num: number;
  startMs: number;
  endMs: number;
  in: number;
  out: number;
  /** Time really observed. */
  knownMs: number;
  osd: number;
  /** Position in the contract's list of qualities. */
  quality: number;
};

/** People since the end of a sensor's last record. */
export type Flow = { num: number; sinceMs: number; receivedMs: number; in: number; out: number };

/** The count as somebody set it; `flows` is what the records that were running then will count once more. */
export type Correction = {
  id: string;
  atMs: number;
  count: number;
  note: string | null;
  by: { id: string; name: string };
  flows: readonly Omit<Flow, "receivedMs">[];
};

/**
 * A chosen sensor could not count; `toMs` is Infinity while that lasts. `silent`: connected, but without records for two
 * intervals; the light does not depend on it.
 */
export type Outage = { num: number; fromMs: number; toMs: number; kind: "offline" | "obstructed" | "silent" };

/** Whether the app ran, and how many may be inside, from an instant on. */
export type Limit = { fromMs: number; runs: boolean; max: number };

type Moment = {
  intervals: Interval[];
  corrections: Correction[];
  begun: Outage[];
  ended: Outage[];
  silent: Outage[];
};

export type LedgerFacts = {
  /** The last reset. */
  sinceMs: number;
  /** The instant that is asked about. */
  atMs: number;
  /** It is asked now: what ends in a moment counts, too, because somebody was seen already. */
  isPresent: boolean;
  /** Sensors whose counts belong to the location. */
  counting: Iterable<number>;
  /** Those of them that are there at that instant: while none of these can count, nothing is known. */
  present: Iterable<number>;
  intervals: Iterable<Interval>;
  corrections: readonly Correction[];
  outages: readonly Outage[];
  /** In order of time. */
  limits: readonly Limit[];
};

/**
 * One entry. `uncounted`: people who left and could not have been inside, so that the count was kept at 0. `early`: people who
 * left and probably came in through a door whose interval is not over yet.
 */
export type Step = { atMs: number; count: number; uncounted: number; early: number } & (
  | { kind: "reset" }
  | { kind: "count"; interval: Interval; /** What a correction had counted already. */ known: InOut }
  | { kind: "flow"; flow: Flow }
  | { kind: "correction"; correction: Correction }
  | { kind: "outage"; outage: Outage }
);
type InOut = { in: number; out: number };

export type Shown = { count: number; max: number; state: LightState; low: number; high: number };
type CoursePoint = Shown & { atMs: number };

/** What records, corrections and outages amount to; what flows since is added by `withFlows`. */
export type Ledger = {
  sinceMs: number;
  counting: ReadonlySet<number>;
  steps: readonly Step[];
  course: readonly CoursePoint[];
  count: number;
  /** In less out, below 0 while people who left were not counted when they came in, because a door's interval is not over. */
  net: number;
  last: Correction | null;
  /** The end of each sensor's last record. */
  recordedTo: ReadonlyMap<number, number>;
  runs: boolean;
  max: number;
  isBlind: boolean;
  /** Sensors that have been left out for their silence. */
  silent: readonly number[];
  /** Milliseconds of sensors that were not counted since the last reset or correction. */
  unknownMs: number;
  /** How far the truth may be from the count, with these passes more. */
  widthWith(passes: number): number;
};

/** Replays what happened since the last reset. */
export function replay(facts: LedgerFacts): Ledger {
  const { sinceMs, atMs: endMs, isPresent } = facts;
  const counting = new Set(facts.counting);
  const present = new Set(facts.present);
  const untilMs = isPresent ? Infinity : endMs;
  const blind = createBlind(present);
  const band = createBand(sinceMs);
  const recordedTo = new Map<number, number>();
  // Those of before the reset only tell how often each door reports.
  const intervals = [...facts.intervals].filter(({ num, endMs }) => counting.has(num) && endMs <= untilMs);
  const doors = createDoors(intervals, endMs);
  const silences = doors.silences(present, sinceMs);
  const steps: Step[] = [{ kind: "reset", atMs: sinceMs, count: 0, uncounted: 0, early: 0 }];
  const course: CoursePoint[] = [];
  let net = 0;
  let last: Correction | null = null;

  for (const [atMs, moment] of momentsOf(facts, { intervals, present, untilMs, silences })) {
    const added = moment.intervals.map((interval) => ({ interval, known: alreadyKnown(last, interval) }));
    net += added.reduce((sum, { interval, known }) => sum + netOf(interval, known), 0);
    const below = Math.max(0, -net);
    const isSettled = below > 0 && doors.areClosedAt(atMs);
    const [uncounted, early] = isSettled ? [below, 0] : [0, below];
    if (isSettled) net = 0;
    for (const { interval, known } of added) {
      band.counted(interval);
      recordedTo.set(interval.num, Math.max(interval.endMs, recordedTo.get(interval.num) ?? -Infinity));
      steps.push({ kind: "count", atMs, interval, known, count: Math.max(0, net), uncounted, early });
    }
    for (const correction of moment.corrections) {
      net = correction.count;
      last = correction;
      band.anchor(atMs);
      steps.push({ kind: "correction", atMs, correction, count: net, uncounted: 0, early: 0 });
    }
    const count = Math.max(0, net);
    for (const outage of moment.ended) blind.ended(outage);
    for (const outage of moment.begun) blind.begun(outage);
    const unseen = new Set(blind.sensors());
    for (const outage of [...moment.begun, ...moment.silent.filter(({ num }) => !unseen.has(num))])
      steps.push({ kind: "outage", atMs, outage, count, uncounted: 0, early: 0 });
    const { runs, max } = limitAt(facts.limits, atMs);
    const width = band.widthAt(atMs, blind.sensors(), 0);
    const state = stateOf({ runs, max, isBlind: blind.isEverySensor() }, count);
    course.push({ atMs, count, max, state, low: Math.max(0, count - width), high: count + width });
  }
  const { runs, max } = limitAt(facts.limits, endMs);
  return {
    sinceMs,
    counting,
    steps,
    course,
    count: Math.max(0, net),
    net,
    last,
    recordedTo,
    runs,
    max,
    isBlind: blind.isEverySensor(),
    silent: silences.flatMap(({ outage: { num, toMs } }) => (toMs === Infinity ? [num] : [])),
    unknownMs: band.unknownMsAt(endMs, blind.sensors()),
    widthWith: (passes) => band.widthAt(endMs, blind.sensors(), passes),
  };
}

/** What is shown now: the count of the ledger and the people since. `steps` are the entries that they add. */
export function withFlows(ledger: Ledger, flows: Iterable<Flow>): { shown: Shown; steps: Step[] } {
  const flowing = [...flows].flatMap((flow) => {
    const known = flowKnown(ledger, flow);
    return known === null ? [] : [{ flow, known }];
  });
  const net = ledger.net + flowing.reduce((sum, { flow, known }) => sum + netOf(flow, known), 0);
  const count = Math.max(0, net);
  const width = ledger.widthWith(flowing.reduce((sum, { flow }) => sum + flow.in + flow.out, 0));
  const shown = {
    count,
    max: ledger.max,
    state: stateOf(ledger, count),
    low: Math.max(0, count - width),
    high: count + width,
  };
  const early = Math.max(0, -net);
  const steps = flowing
    .toSorted((a, b) => a.flow.receivedMs - b.flow.receivedMs || a.flow.num - b.flow.num)
    .map(({ flow }): Step => ({ kind: "flow", atMs: flow.receivedMs, flow, count, uncounted: 0, early }));
  return { shown, steps };
}

/** A light that does not know does not say "may enter". */
function stateOf({ runs, max, isBlind }: Pick<Ledger, "runs" | "max" | "isBlind">, count: number): LightState {
  if (!runs || isBlind) return "unknown";
  return count >= max ? "closed" : "opened";
}

const nothing: InOut = { in: 0, out: 0 };
const netOf = (one: InOut, known: InOut) => one.in - known.in - (one.out - known.out);
const least = (a: InOut, b: InOut): InOut => ({ in: Math.min(a.in, b.in), out: Math.min(a.out, b.out) });

/** What of a record that was running at a correction had been counted by then: it must not be added once more. */
function alreadyKnown(last: Correction | null, interval: Interval): InOut {
  const { num, startMs, endMs } = interval;
  if (last === null || startMs >= last.atMs) return nothing;
  const flow = last.flows.find((one) => one.num === num && one.sinceMs >= startMs && one.sinceMs < endMs);
  return flow ? least(flow, interval) : nothing;
}

/** The same of a flow; null where it does not count: a record has replaced it, or it is of before the reset. */
function flowKnown({ sinceMs, counting, recordedTo, last }: Ledger, flow: Flow): InOut | null {
  if (!counting.has(flow.num) || flow.receivedMs <= sinceMs) return null;
  if (flow.sinceMs < (recordedTo.get(flow.num) ?? -Infinity)) return null;
  const counted = last?.flows.find((one) => one.num === flow.num && one.sinceMs === flow.sinceMs);
  return counted ? least(counted, flow) : nothing;
}

type Span = {
  intervals: readonly Interval[];
  present: ReadonlySet<number>;
  untilMs: number;
  silences: readonly { atMs: number; outage: Outage }[];
};

/** All that happens at the same instant, in order of time; the reset is the first. */
function momentsOf(facts: LedgerFacts, { intervals, present, untilMs, silences }: Span) {
  const { sinceMs, corrections, outages, limits } = facts;
  const byTime = new Map<number, Moment>();
  const at = (ms: number) =>
    byTime.getOrInsertComputed(ms, () => ({ intervals: [], corrections: [], begun: [], ended: [], silent: [] }));
  at(sinceMs);
  // What ended with the reset belongs to the time before it.
  for (const interval of intervals) if (interval.endMs > sinceMs) at(interval.endMs).intervals.push(interval);
  for (const { atMs, outage } of silences) at(atMs).silent.push(outage);
  for (const correction of corrections)
    if (correction.atMs >= sinceMs && correction.atMs <= untilMs) at(correction.atMs).corrections.push(correction);
  for (const outage of outages) {
    if (!present.has(outage.num) || outage.toMs <= Math.max(sinceMs, outage.fromMs) || outage.fromMs > untilMs)
      continue;
    at(Math.max(sinceMs, outage.fromMs)).begun.push(outage);
    if (Number.isFinite(outage.toMs) && outage.toMs <= untilMs) at(outage.toMs).ended.push(outage);
  }
  for (const { fromMs } of limits) if (fromMs > sinceMs && fromMs <= untilMs) at(fromMs);
  for (const moment of byTime.values()) {
    moment.intervals.sort((a, b) => a.num - b.num || a.startMs - b.startMs);
    moment.corrections.sort((a, b) => (a.id < b.id ? -1 : 1));
    moment.begun.sort((a, b) => a.num - b.num || (a.kind < b.kind ? -1 : 1));
  }
  return [...byTime].toSorted(([a], [b]) => a - b);
}

/** Which sensors can't count, as outages begin and end; one sensor may have two reasons at once. */
function createBlind(present: ReadonlySet<number>) {
  const reasons = new Map<number, Set<Outage>>();
  return {
    begun: (outage: Outage) => void reasons.getOrInsertComputed(outage.num, () => new Set()).add(outage),
    ended(outage: Outage) {
      const own = reasons.get(outage.num);
      own?.delete(outage);
      if (own?.size === 0) reasons.delete(outage.num);
    },
    sensors: () => [...reasons.keys()],
    /** Also when there is none. */
    isEverySensor: () => reasons.size === present.size,
  };
}

const noLimit: Limit = { fromMs: -Infinity, runs: false, max: 0 };

function limitAt(limits: readonly Limit[], ms: number): Limit {
  return limits.findLast(({ fromMs }) => fromMs <= ms) ?? noLimit;
}
