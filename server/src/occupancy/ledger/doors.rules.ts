// When every door has reported: only then do people who left without having come in mean that somebody was missed.
import type { Interval, Outage } from "./ledger.rules.ts";

/** A door without a record for so many of its intervals is not waited for. */
const patience = 2;

type Door = { intervals: Pick<Interval, "startMs" | "endMs">[]; patienceMs: number; next: number };
type Silence = { fromMs: number; toMs: number };

/**
 * The doors of a location by what their sensors recorded until `untilMs`. A door whose interval is running holds people who
 * have passed already, so sums of doors with unequal intervals are true only at instants at which none is.
 */
export function createDoors(intervals: Iterable<Interval>, untilMs: number) {
  const doors = new Map<number, Door>();
  for (const [num, own] of Map.groupBy(intervals, (interval) => interval.num)) {
    // The longest: a record is cut short where a sensor started.
    const longestMs = own.reduce((longest, { startMs, endMs }) => Math.max(longest, endMs - startMs), 0);
    const sorted = own.toSorted((a, b) => a.startMs - b.startMs);
    doors.set(num, { intervals: sorted, patienceMs: patience * longestMs, next: 0 });
  }

  /** The time without records after one, if that is long enough to go on without the door; `toMs` is Infinity while it lasts. */
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
    /** Whether each door has closed an interval at this instant, or is left out. To be asked in order of time. */
    areClosedAt: (ms: number) => doors.values().every((door) => isClosed(door, ms)),
    /** When which of these sensors were left out since `sinceMs`, while others of them went on reporting. */
    silences(nums: ReadonlySet<number>, sinceMs: number): { atMs: number; outage: Outage }[] {
      const there = [...doors].filter(([num]) => nums.has(num));
      const lastMs = ([, { intervals: own }]: (typeof there)[number]) => own.at(-1)?.endMs ?? -Infinity;
      return there.flatMap(([num, door]) => {
        const othersToMs = Math.max(...there.filter((other) => other[0] !== num).map(lastMs));
        return door.intervals.flatMap((_, index) => {
          const silence = silenceAfter(door, index);
          if (silence === null) return [];
          // One that is silent since before the reset is so from the reset on.
          const atMs = Math.max(sinceMs, silence.fromMs + door.patienceMs);
          if (atMs >= silence.toMs || atMs > othersToMs) return [];
          return [{ atMs, outage: { num, ...silence, kind: "silent" as const } }];
        });
      });
    },
  };
}
