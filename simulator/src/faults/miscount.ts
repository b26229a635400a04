// Faults of the counting itself, which the device does not notice.
import { localMoment } from "../local-time.ts";
import { edgesOf, isIn, type Fault, type Direction, type Window } from "./world.ts";

/** Counts nobody although everything looks right. */
export function zeroDay(window: Window): Fault {
  return { sees: (at) => (isIn(window, at) ? 0 : 1), nextEdge: edgesOf(window) };
}

/** Misses more people of one direction every day, down to four of ten. */
export function drift(window: Window, missed: Direction, zone: string): Fault {
  const firstDay = localMoment(zone, window.from).dayNumber;
  return {
    sees: (at, direction) =>
      direction === missed && isIn(window, at)
        ? Math.max(0.4, 0.85 - 0.05 * (localMoment(zone, at).dayNumber - firstDay))
        : 1,
    nextEdge: edgesOf(window),
  };
}
