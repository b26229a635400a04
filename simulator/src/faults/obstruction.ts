// Faults of the view: something before the lens, or no light.
import { localMoment } from "../local-time.ts";
import { edgesOf, isIn, type Fault, type Window } from "./world.ts";

/** A covered lens: the sensor notices nobody and says so. */
export function coveredLens(window: Window): Fault {
  return { view: (at) => (isIn(window, at) ? 1 : 0), nextEdge: edgesOf(window) };
}

const darkFromMinute = 22 * 60;
const darkToMinute = 5 * 60;

/** Lights off every night from 22 to 5 o'clock local time. */
export function darkNight(window: Window, zone: string): Fault {
  const isDark = (at: number): boolean => {
    const { minute } = localMoment(zone, at);
    return minute >= darkFromMinute || minute < darkToMinute;
  };
  const nextSwitch = (after: number): number => {
    const { minute } = localMoment(zone, after);
    const wait =
      minute < darkToMinute
        ? darkToMinute - minute
        : minute < darkFromMinute
          ? darkFromMinute - minute
          : 24 * 60 + darkToMinute - minute;
    // A change of the clocks in between makes this an hour early or late; the quarter hours of looking again repair it.
    return Math.min(after + Math.max(1, Math.round(wait * 60_000)), Math.floor(after / 900_000 + 1) * 900_000);
  };
  return {
    view: (at) => (isIn(window, at) && isDark(at) ? 3 : 0),
    nextEdge: (after) => (isIn(window, after) ? Math.min(window.to, nextSwitch(after)) : edgesOf(window)(after)),
  };
}

/** Low sun into the lens between 17 and 18 o'clock local time. */
export function tooBright(window: Window, zone: string): Fault {
  return {
    view: (at) => (isIn(window, at) && Math.floor(localMoment(zone, at).minute / 60) === 17 ? 5 : 0),
    nextEdge: (after) =>
      isIn(window, after) ? Math.min(window.to, Math.floor(after / 900_000 + 1) * 900_000) : edgesOf(window)(after),
  };
}
