// Compares the ledger with an independent oracle that knows the true number of people, while sensors miss people, go offline and send data
// late. Both must agree after every message, whatever the order of arrival (OC-02).
import { expect, test } from "vitest";
import type { IntervalCount } from "../../count/location-counts.service.ts";
import { type Chance, createChance, pick } from "../../testing/chance.ts";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { type Correction, type Flow, type LedgerFacts, type Outage, replayLedger, addFlows } from "./ledger.rules.ts";
import { findResetsAround } from "./reset.rules.ts";

const [sites, days] = [rounds(3, 200), rounds(3, 30)];
const secondMs = 1000;
const minuteMs = 60_000;
const dayMs = 86_400_000;

type Site = {
  chance: Chance;
  zone: string;
  reset: { hour: number; minute: number };
  sensors: number[];
  /** Interval of records per sensor; doors may have different ones. */
  intervalMs: ReadonlyMap<number, number>;
  max: number;
  /** Whether sensors miss no one and stay connected, so that the count must equal the number of people inside. */
  isPerfect: boolean;
};

/** A person passes a door, in (1) or out (-1). `seen`: how often the sensor counted the pass. */
type Pass = { atMs: number; num: number; way: 1 | -1; seen: number };
type Message = { arrivesMs: number } & (
  | { kind: "flow"; flow: Flow }
  | { kind: "record"; interval: IntervalCount }
  | { kind: "away"; num: number; isAway: boolean }
  | { kind: "correct" }
);

const unequal = [15, 3, 30];

function siteOf(seed: number): Site {
  const chance = createChance(seed);
  const zone = pick(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"], chance);
  const reset = { hour: chance.below(6), minute: chance.below(12) * 5 };
  const sensors = Array.from({ length: 1 + chance.below(3) }, (_, n) => n + 1);
  const usual = pick([5, 15, 15, 15], chance);
  const minutes = sensors.map((num) => [num, seed % 2 === 0 ? (unequal[num - 1] ?? usual) : usual] as const);
  return {
    chance,
    zone,
    reset,
    sensors,
    intervalMs: new Map(minutes.map(([num, every]) => [num, every * minuteMs])),
    max: 3 + chance.below(20),
    isPerfect: seed % 4 === 0,
  };
}

/** Generates people who come after the reset and leave before the next one. */
function peopleOf({ chance, sensors, max, isPerfect }: Site, fromMs: number, toMs: number): Pass[] {
  const passes: Pass[] = [];
  const visitors = max * (2 + chance.below(8));
  const seen = () => (isPerfect || chance.below(100) >= 4 ? 1 : chance.below(4) === 0 ? 2 : 0);
  for (let n = 0; n < visitors; n += 1) {
    const comesMs = fromMs + 3_600_000 + chance.below(toMs - fromMs - 4 * 3_600_000);
    const leavesMs = Math.min(toMs - 3_600_000, comesMs + secondMs + chance.below(90 * minuteMs));
    passes.push({ atMs: comesMs, num: pick(sensors, chance), way: 1, seen: seen() });
    passes.push({ atMs: leavesMs, num: pick(sensors, chance), way: -1, seen: seen() });
  }
  return passes.toSorted((a, b) => a.atMs - b.atMs);
}

type Away = { num: number; fromMs: number; toMs: number };

function outagesOf({ chance, sensors, isPerfect }: Site, fromMs: number, toMs: number): Away[] {
  if (isPerfect || chance.below(3) === 0) return [];
  if (chance.below(2) === 0) {
    const start = fromMs + chance.below(toMs - fromMs - 3 * 3_600_000);
    return sensors.map((num) => ({ num, fromMs: start + num, toMs: start + 3_600_000 + chance.below(3_600_000) }));
  }
  return sensors.flatMap((num) => {
    if (chance.below(2) === 0) return [];
    const start = fromMs + chance.below(toMs - fromMs - 3 * 3_600_000);
    return [{ num, fromMs: start, toMs: start + 10 * minuteMs + chance.below(2 * 3_600_000) }];
  });
}

/** Returns the sensors' messages in order of arrival. Messages arrive at once, or after an outage in any order. */
function messagesOf(
  site: Site,
  passes: readonly Pass[],
  away: readonly Away[],
  fromMs: number,
  toMs: number,
): Message[] {
  const { chance } = site;
  const messages: Message[] = [];
  for (const { num, fromMs: from, toMs: to } of away) {
    messages.push(
      { kind: "away", arrivesMs: from, num, isAway: true },
      { kind: "away", arrivesMs: to, num, isAway: false },
    );
  }
  for (const [num, intervalMs] of site.intervalMs) {
    const own = passes.filter((pass) => pass.num === num);
    const awayAt = (ms: number) => away.find((one) => one.num === num && ms >= one.fromMs && ms < one.toMs);
    let next = 0;
    for (let startMs = Math.floor(fromMs / intervalMs) * intervalMs; startMs < toMs; startMs += intervalMs) {
      const endMs = startMs + intervalMs;
      const total = { in: 0, out: 0 };
      for (let pass = own[next]; pass && pass.atMs < endMs; pass = own[(next += 1)]) {
        total[pass.way === 1 ? "in" : "out"] += pass.seen;
        const sentMs = (Math.floor(pass.atMs / secondMs) + 1) * secondMs;
        if (pass.seen === 0 || awayAt(sentMs) || sentMs > endMs) continue;
        const flow = { num, sinceMs: startMs, receivedMs: 0, ...total };
        messages.push({ kind: "flow", arrivesMs: Math.min(sentMs + chance.below(300), endMs), flow });
      }
      const blind = awayAt(endMs);
      const arrivesMs = blind ? blind.toMs + chance.below(20 * minuteMs) : endMs + chance.below(300);
      const counted = { knownMs: intervalMs, osd: 0, quality: blind ? 1 : 0 };
      messages.push({ kind: "record", arrivesMs, interval: { num, startMs, endMs, ...total, ...counted } });
      if (chance.below(20) === 0)
        messages.push({
          kind: "record",
          arrivesMs: arrivesMs + minuteMs,
          interval: { num, startMs, endMs, ...total, ...counted },
        });
    }
  }
  if (chance.below(2) === 0) messages.push({ kind: "correct", arrivesMs: fromMs + chance.below(toMs - fromMs) });
  return messages
    .map((message, order) => ({ message, order }))
    .toSorted((a, b) => a.message.arrivesMs - b.message.arrivesMs || a.order - b.order)
    .map(({ message }) => message);
}

/**
 * Computes the count in closed form: a sum clamped at 0 equals the sum minus its lowest point below 0. Passes are added at the end of
 * their interval, and the clamp applies only when no door's interval is running.
 */
function oracle(known: Known, sinceMs: number, nowMs: number): number {
  const last = known.corrections.at(-1);
  const sums = new Map<number, number>();
  const recorded = new Map<number, number>();
  for (const { num, startMs, endMs, in: ins, out } of known.intervals.values()) {
    recorded.set(num, Math.max(recorded.get(num) ?? 0, endMs));
    if (endMs <= (last?.atMs ?? sinceMs)) continue;
    const counted =
      last && startMs < last.atMs ? last.flows.find((one) => one.num === num && one.sinceMs === startMs) : undefined;
    sums.set(endMs, (sums.get(endMs) ?? 0) + ins - out - (counted ? counted.in - counted.out : 0));
  }
  let [sum, lowest] = [last?.count ?? 0, 0];
  const doors = [...Map.groupBy(known.intervals.values(), ({ num }) => num).values()].map((own) =>
    own.toSorted((a, b) => b.startMs - a.startMs),
  );
  const isRunning = (own: IntervalCount[], ms: number) => {
    while ((own.at(-1)?.endMs ?? Infinity) < ms && (own.at(-2)?.startMs ?? Infinity) < ms) own.pop();
    const now = own.at(-1);
    if (!now || now.startMs >= ms || now.endMs === ms) return false;
    // A door is skipped if its next record starts at least two intervals later.
    return ms < now.endMs || (own.at(-2)?.startMs ?? nowMs) < now.endMs + 2 * (now.endMs - now.startMs);
  };
  for (const endMs of [...sums.keys()].toSorted((a, b) => a - b)) {
    sum += sums.get(endMs) ?? 0;
    if (!doors.some((own) => isRunning(own, endMs))) lowest = Math.min(lowest, sum);
  }
  let count = sum - lowest;
  for (const flow of known.flows.values()) {
    if (flow.receivedMs <= sinceMs || flow.sinceMs < (recorded.get(flow.num) ?? 0)) continue;
    const counted = last?.flows.find((one) => one.num === flow.num && one.sinceMs === flow.sinceMs);
    count += flow.in - flow.out - (counted ? counted.in - counted.out : 0);
  }
  return Math.max(0, count);
}

type Known = {
  intervals: Map<string, IntervalCount>;
  flows: Map<number, Flow>;
  corrections: Correction[];
  outages: Outage[];
};

const by = { id: "a", name: "Harbour Stores" };

function factsOf(site: Site, known: Omit<Known, "flows">, sinceMs: number, atMs: number, isNow = true): LedgerFacts {
  const { intervals, corrections, outages } = known;
  const limits = [{ fromMs: -Infinity, runs: true, max: site.max }];
  return {
    sinceMs,
    atMs,
    isNow,
    counting: site.sensors,
    present: site.sensors,
    intervals: intervals.values(),
    corrections,
    outages,
    limits,
  };
}

function shuffled<T>(list: readonly T[], chance: Chance): T[] {
  const all = [...list];
  for (let n = all.length - 1; n > 0; n -= 1) {
    const other = chance.below(n + 1);
    [all[n], all[other]] = [all[other] as T, all[n] as T];
  }
  return all;
}

function playDay(site: Site, sinceMs: number, nextMs: number): { closed: number; unknown: number; lit: number } {
  const passes = peopleOf(site, sinceMs, nextMs);
  const away = outagesOf(site, sinceMs, nextMs);
  const known: Known = { intervals: new Map(), flows: new Map(), corrections: [], outages: [] };
  let ledger = replayLedger(factsOf(site, known, sinceMs, sinceMs));
  const seen = { closed: 0, unknown: 0, lit: 0 };
  let passed = 0;
  let inside = 0;
  let shownMs = sinceMs;
  for (const message of messagesOf(site, passes, away, sinceMs, nextMs)) {
    const { arrivesMs: atMs } = message;
    if (message.kind === "flow") known.flows.set(message.flow.num, { ...message.flow, receivedMs: atMs });
    else {
      if (message.kind === "record")
        known.intervals.set(`${message.interval.num}/${message.interval.startMs}`, message.interval);
      else if (message.kind === "correct") {
        const flows = [...known.flows.values()];
        known.corrections.push({
          id: `c${known.corrections.length}`,
          atMs,
          count: oracle(known, sinceMs, atMs) + 2,
          note: null,
          by,
          flows,
        });
      } else if (message.isAway)
        known.outages.push({ num: message.num, fromMs: atMs, toMs: Infinity, kind: "offline" });
      else for (const one of known.outages) if (one.num === message.num && one.toMs === Infinity) one.toMs = atMs;
      ledger = replayLedger(factsOf(site, known, sinceMs, atMs));
      shownMs = atMs;
    }
    const { shown } = addFlows(ledger, known.flows.values());
    const count = oracle(known, sinceMs, shownMs);
    const isBlind = site.sensors.every((num) => known.outages.some((one) => one.num === num && one.toMs === Infinity));
    const state = isBlind ? "unknown" : count >= site.max ? "closed" : "opened";
    if (shown.count !== count || shown.state !== state || shown.low > count || shown.high < count)
      throw new Error(`${new Date(atMs).toISOString()} shown ${JSON.stringify(shown)}, expected ${count} ${state}`);
    seen[state === "opened" ? "lit" : state] += 1;
    // After 1.3 seconds, a pass must be included: sensors send flows once a second, and messages arrive within 0.3 seconds.
    for (let pass = passes[passed]; pass && pass.atMs <= atMs - 1300; pass = passes[(passed += 1)]) inside += pass.way;
    const isQuiet = (passes[passed]?.atMs ?? Infinity) > atMs;
    if (site.isPerfect && known.corrections.length === 0 && isQuiet && message.kind !== "record") {
      if (shown.count !== inside)
        throw new Error(`${new Date(atMs).toISOString()} ${inside} inside, shown ${shown.count}`);
    }
  }
  // The replay must not depend on the order of arrival, and must also give the count at a past instant.
  const ordered = {
    intervals: new Map([...known.intervals].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    corrections: known.corrections,
    outages: known.outages,
  };
  const expected = replayLedger(factsOf(site, ordered, sinceMs, nextMs, false));
  for (let n = 0; n < 3; n += 1) {
    const other = {
      intervals: new Map(shuffled([...known.intervals], site.chance)),
      corrections: shuffled(known.corrections, site.chance),
      outages: shuffled(known.outages, site.chance),
    };
    const { steps, course, count } = replayLedger(factsOf(site, other, sinceMs, nextMs, false));
    expect({ steps, course, count }).toEqual({ steps: expected.steps, course: expected.course, count: expected.count });
    const atMs = sinceMs + site.chance.below(nextMs - sinceMs);
    const then = replayLedger(factsOf(site, other, sinceMs, atMs, false));
    const until = {
      flows: new Map(),
      outages: [],
      corrections: known.corrections.filter((one) => one.atMs <= atMs),
      intervals: new Map([...known.intervals].filter(([, one]) => one.endMs <= atMs)),
    };
    expect(then.count).toBe(oracle(until, sinceMs, atMs));
    expect(then.course.at(-1)?.count).toBe(then.count);
  }
  return seen;
}

test(
  `OC-02 ${sites} sites over ${days} days: the light is never late, in any order of arrival`,
  { timeout: 3_600_000 },
  () => {
    const seen = { closed: 0, unknown: 0, lit: 0 };
    for (let seed = 0; seed < sites; seed += 1) {
      // The first three reach every state.
      const site = siteOf(seed + 5);
      let { nextMs: sinceMs } = findResetsAround(site.zone, site.reset, Date.UTC(2026, pick([2, 9], site.chance), 20));
      for (let day = 0; day < days; day += 1) {
        const { nextMs } = findResetsAround(site.zone, site.reset, sinceMs);
        expect(Math.abs(nextMs - sinceMs - dayMs)).toBeLessThanOrEqual(3_600_000);
        const of = playDay(site, sinceMs, nextMs);
        for (const state of ["closed", "unknown", "lit"] as const) seen[state] += of[state];
        sinceMs = nextMs;
      }
    }
    for (const state of ["closed", "unknown", "lit"] as const) expect(seen[state], state).toBeGreaterThan(sites);
  },
);
