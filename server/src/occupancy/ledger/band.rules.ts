// Computes the error band of a count: each pass may be miscounted, and people also pass while sensors can't count.
import type { IntervalCount } from "../../count/location-counts.service.ts";

/** Share of passes that are missed or counted twice, as makers of such sensors typically state. */
const wrongPerPass = 0.03;
/** Two standard deviations: about 20 of 21 counts lie within. */
const deviations = 2;

/** Collects the uncertainty since the last reset or correction. */
export function createErrorBand(sinceMs: number) {
  let anchorMs = sinceMs;
  let passes = 0;
  let knownMs = 0;
  let missedMs = 0;
  const seenTo = new Map<number, number>();

  const seenToOf = (num: number) => Math.max(anchorMs, seenTo.get(num) ?? anchorMs);
  /** Time since the last record of each blind sensor, summed over sensors. */
  const tailMs = (ms: number, blind: readonly number[]) =>
    blind.reduce((sum, num) => sum + Math.max(0, ms - seenToOf(num)), 0);

  return {
    anchor(ms: number) {
      anchorMs = ms;
      passes = knownMs = missedMs = 0;
    },
    counted({ num, startMs, endMs, knownMs: known, in: ins, out }: IntervalCount) {
      const from = Math.max(anchorMs, startMs);
      const seen = seenToOf(num);
      passes += ins + out;
      knownMs += known;
      missedMs += Math.max(0, from - seen) + Math.max(0, endMs - from - known);
      seenTo.set(num, Math.max(seen, endMs));
    },
    unknownMsAt: (ms: number, blind: readonly number[]) => missedMs + tailMs(ms, blind),
    /** `more`: passes without a record yet. */
    widthAt(ms: number, blind: readonly number[], more: number): number {
      const unseen = knownMs > 0 ? ((missedMs + tailMs(ms, blind)) / knownMs) * passes : 0;
      return Math.ceil(deviations * Math.sqrt(wrongPerPass * (passes + more))) + Math.ceil(unseen);
    },
  };
}
