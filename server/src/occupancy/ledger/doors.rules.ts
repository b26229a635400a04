// Determines when every door has reported; only then do more exits than entries mean that a sensor missed somebody.
import type { IntervalCount } from "../../count/location-counts.service.ts";
import type { Outage } from "./ledger.rules.ts";

/** After this many intervals without a record, a door is skipped. */
const patience = 2;

type Door = { intervals: Pick<IntervalCount, "startMs" | "endMs">[]; patienceMs: number; next: number };
type Silence = { fromMs: number; toMs: number };

/**
 * Tracks the record intervals of each door until `untilMs`. People who pass during a running interval are not in a record yet, so sums
 * over doors with different intervals are exact only when no interval is running.
 */
export function createDoors(intervals: Iterable<IntervalCount>, untilMs: number) {
  const doors = new Map<number, Door>();
  for (const [num, own] of Map.groupBy(intervals, (interval) => interval.num)) {
    // Uses the longest interval, because the first record after a sensor's start is shorter.
    const longestMs = own.reduce((longest, { startMs, endMs }) => Math.max(longest, endMs - startMs), 0);
    const sorted = own.toSorted((a, b) => a.startMs - b.startMs);
    doors.set(num, { intervals: sorted, patienceMs: patience * longestMs, next: 0 });
  }

  /** Returns the gap after a record if it is at least as long as the door's patience. `toMs` is Infinity while the gap lasts. */
  function silenceAfter({ intervals: own, patienceMs }: Door, index: number): Silence | null {
    const fromMs = own[index]?.endMs ?? Infinity;
    const next = own[index + 1];
    return (next?.startMs ?? untilMs) - fromMs >= patienceMs ? { fromMs, toMs: next?.startMs ?? Infinity } : null;
  }

  function isClosed(door: Door, ms: number): boolean {
    while ((door.intervals[door.next]?.startMs ?? Infinity) < ms) door.next += 1;
    const last = door.intervals[door.next - 1];
    if (last === undefined || last.endMs === ms) return true;
    return last.endMs < ms && silenceAfter(door, door.next - 1) !== null;
  }

  return {
    /** Whether no door has a running interval at this instant; skipped doors are ignored. Call it with increasing instants only. */
    areClosedAt: (ms: number) => doors.values().every((door) => isClosed(door, ms)),
    /** Finds sensors that were skipped since `sinceMs` while others kept reporting. */
    silences(nums: ReadonlySet<number>, sinceMs: number): { atMs: number; outage: Outage }[] {
      const there = [...doors].filter(([num]) => nums.has(num));
      const lastMs = ([, { intervals: own }]: (typeof there)[number]) => own.at(-1)?.endMs ?? -Infinity;
      return there.flatMap(([num, door]) => {
        const othersToMs = Math.max(...there.filter((other) => other[0] !== num).map(lastMs));
        return door.intervals.flatMap((_, index) => {
          const silence = silenceAfter(door, index);
          if (silence === null) return [];
          // If the door was already skipped at the reset, the silence is noted at the reset.
          const atMs = Math.max(sinceMs, silence.fromMs + door.patienceMs);
          if (atMs >= silence.toMs || atMs > othersToMs) return [];
          return [{ atMs, outage: { num, ...silence, kind: "silent" as const } }];
        });
      });
    },
  };
}
