// Faults of the device's clock.
import { lastChangeBefore } from "../local-time.ts";
import { edgesOf, isIn, type Fault, type Window } from "./world.ts";

/** The wall clock stands still; records wait for the next synchronisation and get estimated times. */
export function frozenClock(window: Window): Fault {
  return { clock: (at) => (isIn(window, at) ? "frozen" : "ok"), nextEdge: edgesOf(window) };
}

/** Empty battery: the clock starts in 1970, and the power goes before it is set, so the times stay bad. */
export function lostClock(window: Window): Fault {
  return {
    clock: (at) => (isIn(window, at) ? "lost" : "ok"),
    restarts: (from, to) =>
      [window.from, window.to]
        .filter((at) => at >= from && at < to)
        .map((at) => ({ at, reason: "power", downMs: 30_000 })),
    nextEdge: edgesOf(window),
  };
}

/** Sends the three days around the last change of the clocks as back-fill: one of them has 23 or 25 hours. */
export function dstNight(startedAt: number, zone: string): Fault {
  const changeAt = lastChangeBefore(zone, startedAt - 2 * 86_400_000);
  if (changeAt === null) return {};
  const from = Math.floor((changeAt - 36 * 3_600_000) / 3_600_000) * 3_600_000;
  return { past: { from, to: from + 72 * 3_600_000 } };
}
