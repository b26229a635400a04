// How far the true number of people may be from the count: each pass may be counted wrongly, and time that no sensor saw had passes, too.
import type { Interval } from "./ledger.rules.ts";

/** Of a hundred passes this many are missed or counted twice, as a rule: what makers of such sensors state. */
const wrongPerPass = 0.03;
/** Twenty of twenty-one counts lie within twice the deviation. */
const deviations = 2;

/** Gathers what makes the count uncertain since the last reset or correction. */
export function createBand(sinceMs: number) {
  let anchorMs = sinceMs;
  let passes = 0;
  let knownMs = 0;
  let missedMs = 0;
  const seenTo = new Map<number, number>();

  const seenToOf = (num: number) => Math.max(anchorMs, seenTo.get(num) ?? anchorMs);
  /** Time of sensors that are blind right now, since they were heard last. */
  const tailMs = (ms: number, blind: readonly number[]) =>
    blind.reduce((sum, num) => sum + Math.max(0, ms - seenToOf(num)), 0);

  return {
    /** From here on the count is known to be right. */
    anchor(ms: number) {
      anchorMs = ms;
      passes = knownMs = missedMs = 0;
    },
    counted({ num, startMs, endMs, knownMs: known, in: ins, out }: Interval) {
      const from = Math.max(anchorMs, startMs);
      const seen = seenToOf(num);
      passes += ins + out;
      knownMs += known;
      missedMs += Math.max(0, from - seen) + Math.max(0, endMs - from - known);
      seenTo.set(num, Math.max(seen, endMs));
    },
    unknownMsAt: (ms: number, blind: readonly number[]) => missedMs + tailMs(ms, blind),
    /** `more`: passes that no record has yet. */
    widthAt(ms: number, blind: readonly number[], more: number): number {
      const unseen = knownMs > 0 ? ((missedMs + tailMs(ms, blind)) / knownMs) * passes : 0;
      return Math.ceil(deviations * Math.sqrt(wrongPerPass * (passes + more))) + Math.ceil(unseen);
    },
  };
}
