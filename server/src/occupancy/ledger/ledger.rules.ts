// Replays the count of a location as a ledger: the same facts give the same entries in any order of arrival, because no counter is
// incremented (docs/rules/occupancy.md#count).
import type { LightState } from "@psp/contract/occupancy/occupancy.api.ts";
import type { IntervalCount } from "../../count/location-counts.service.ts";
import { createErrorBand } from "./band.rules.ts";
import { createDoors } from "./doors.rules.ts";

export type Flow = { num: number; sinceMs: number; receivedMs: number; in: number; out: number };

/** A manual count. `flows` are the people already counted in running intervals, whose records will include them again. */
export type Correction = {
  id: string;
  atMs: number;
  count: number;
  note: string | null;
  by: { id: string; name: string };
  flows: readonly Omit<Flow, "receivedMs">[];
};

/**
 * A period in which a chosen sensor could not count; `toMs` is Infinity while it lasts. A `silent` sensor is connected, but has sent
 * no record for two intervals; this does not affect the light.
 */
export type Outage = { num: number; fromMs: number; toMs: number; kind: "offline" | "obstructed" | "silent" };

/** Settings that apply from `fromMs`: whether the app runs, and the maximum number of people inside. */
export type AppSettingsFrom = { fromMs: number; runs: boolean; max: number };

type InstantEvents = {
  intervals: IntervalCount[];
  corrections: Correction[];
  begun: Outage[];
  ended: Outage[];
  silent: Outage[];
};

export type LedgerFacts = {
  sinceMs: number;
  atMs: number;
  /** Whether `atMs` is now. If so, flows add the people who passed in running intervals. */
  isNow: boolean;
  counting: Iterable<number>;
  /** Chosen sensors at the location at that instant; if none of them can count, the state is unknown. */
  present: Iterable<number>;
  intervals: Iterable<IntervalCount>;
  corrections: readonly Correction[];
  outages: readonly Outage[];
  limits: readonly AppSettingsFrom[];
};

/**
 * `uncounted`: exits that exceed the people inside, so that the count stayed 0. `early`: exits of people who probably came in through
 * a door whose interval is still running.
 */
export type LedgerStep = { atMs: number; count: number; uncounted: number; early: number } & (
  | { kind: "reset" }
  | { kind: "count"; interval: IntervalCount; /** What a correction had counted already. */ known: InOut }
  | { kind: "flow"; flow: Flow }
  | { kind: "correction"; correction: Correction }
  | { kind: "outage"; outage: Outage }
);
type InOut = { in: number; out: number };

export type DisplayState = { count: number; max: number; state: LightState; low: number; high: number };
type CoursePoint = DisplayState & { atMs: number };

export type Ledger = {
  sinceMs: number;
  counting: ReadonlySet<number>;
  steps: readonly LedgerStep[];
  course: readonly CoursePoint[];
  count: number;
  /** In minus out; below 0 while entries are missing because a door's interval is running. */
  net: number;
  last: Correction | null;
  recordedTo: ReadonlyMap<number, number>;
  runs: boolean;
  max: number;
  isBlind: boolean;
  silent: readonly number[];
  /** Milliseconds without counts since the last reset or correction, summed over sensors. */
  unknownMs: number;
  /** Half-width of the error band, in people, with these additional passes. */
  widthWith(passes: number): number;
};

export function replayLedger(facts: LedgerFacts): Ledger {
  const { sinceMs, atMs: endMs, isNow } = facts;
  const counting = new Set(facts.counting);
  const present = new Set(facts.present);
  const untilMs = isNow ? Infinity : endMs;
  const blind = createBlindTracker(present);
  const band = createErrorBand(sinceMs);
  const recordedTo = new Map<number, number>();
  // Records before the reset only show how often each door reports.
  const intervals = [...facts.intervals].filter(({ num, endMs }) => counting.has(num) && endMs <= untilMs);
  const doors = createDoors(intervals, endMs);
  const silences = doors.silences(present, sinceMs);
  const steps: LedgerStep[] = [{ kind: "reset", atMs: sinceMs, count: 0, uncounted: 0, early: 0 }];
  const course: CoursePoint[] = [];
  let net = 0;
  let last: Correction | null = null;

  for (const [atMs, moment] of groupByInstant(facts, { intervals, present, untilMs, silences })) {
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

export function addFlows(ledger: Ledger, flows: Iterable<Flow>): { shown: DisplayState; steps: LedgerStep[] } {
  const flowing = [...flows].flatMap((flow) => {
    const known = findKnownFlow(ledger, flow);
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
    .map(({ flow }): LedgerStep => ({ kind: "flow", atMs: flow.receivedMs, flow, count, uncounted: 0, early }));
  return { shown, steps };
}

/** Without a reliable count, the state is "unknown", so that no display shows "may enter". */
function stateOf({ runs, max, isBlind }: Pick<Ledger, "runs" | "max" | "isBlind">, count: number): LightState {
  if (!runs || isBlind) return "unknown";
  return count >= max ? "closed" : "opened";
}

const nothing: InOut = { in: 0, out: 0 };
const netOf = (one: InOut, known: InOut) => one.in - known.in - (one.out - known.out);
const least = (a: InOut, b: InOut): InOut => ({ in: Math.min(a.in, b.in), out: Math.min(a.out, b.out) });

/** Returns the part of a record that the last correction already includes. */
function alreadyKnown(last: Correction | null, interval: IntervalCount): InOut {
  const { num, startMs, endMs } = interval;
  if (last === null || startMs >= last.atMs) return nothing;
  const flow = last.flows.find((one) => one.num === num && one.sinceMs >= startMs && one.sinceMs < endMs);
  return flow ? least(flow, interval) : nothing;
}

/**
 * Returns the part of a flow that the last correction already includes. Null if the flow does not count: its sensor is not chosen, a
 * record has replaced it, or it is from before the reset.
 */
function findKnownFlow({ sinceMs, counting, recordedTo, last }: Ledger, flow: Flow): InOut | null {
  if (!counting.has(flow.num) || flow.receivedMs <= sinceMs) return null;
  if (flow.sinceMs < (recordedTo.get(flow.num) ?? -Infinity)) return null;
  const counted = last?.flows.find((one) => one.num === flow.num && one.sinceMs === flow.sinceMs);
  return counted ? least(counted, flow) : nothing;
}

type Span = {
  intervals: readonly IntervalCount[];
  present: ReadonlySet<number>;
  untilMs: number;
  silences: readonly { atMs: number; outage: Outage }[];
};

/** Groups all events by instant, in order of time, starting with the reset. */
function groupByInstant(facts: LedgerFacts, { intervals, present, untilMs, silences }: Span) {
  const { sinceMs, corrections, outages, limits } = facts;
  const byTime = new Map<number, InstantEvents>();
  const at = (ms: number) =>
    byTime.getOrInsertComputed(ms, () => ({ intervals: [], corrections: [], begun: [], ended: [], silent: [] }));
  at(sinceMs);
  // A record that ended at the reset belongs to the previous day.
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

/** Tracks which sensors can't count; one sensor may have two reasons at once. */
function createBlindTracker(present: ReadonlySet<number>) {
  const reasons = new Map<number, Set<Outage>>();
  return {
    begun: (outage: Outage) => void reasons.getOrInsertComputed(outage.num, () => new Set()).add(outage),
    ended(outage: Outage) {
      const own = reasons.get(outage.num);
      own?.delete(outage);
      if (own?.size === 0) reasons.delete(outage.num);
    },
    sensors: () => [...reasons.keys()],
    /** True also if there is no sensor. */
    isEverySensor: () => reasons.size === present.size,
  };
}

const noLimit: AppSettingsFrom = { fromMs: -Infinity, runs: false, max: 0 };

function limitAt(limits: readonly AppSettingsFrom[], ms: number): AppSettingsFrom {
  return limits.findLast(({ fromMs }) => fromMs <= ms) ?? noLimit;
}
