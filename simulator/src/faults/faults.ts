// Faults: power, network, clock, view, counting and updates.
import { lastChangeBefore, localMoment } from "../local-time.ts";
import {
  edgesOf,
  isIn,
  type Direction,
  type Fault,
  type Restart,
  type FaultRestartReason,
  type UpdateFault,
  type TimeWindow,
} from "./world.ts";

const hourMs = 3_600_000;
const lookAgainMs = 900_000;

/** Power is off, so passages during this time are never counted. */
export const powerFailure = (window: TimeWindow): Fault => ({
  powered: (at) => !isIn(window, at),
  nextEdge: edgesOf(window),
});

/** No network: keeps counting and sends everything later. */
export const outage = (window: TimeWindow): Fault => ({ linked: (at) => !isIn(window, at), nextEdge: edgesOf(window) });

export const duplicateBatches = (window: TimeWindow): Fault => ({ copies: (at) => (isIn(window, at) ? 2 : 1) });

/** Acknowledgements are lost, so the sensor sends its records again. */
export const lostAck = (window: TimeWindow): Fault => ({ receivesAcks: (at) => !isIn(window, at) });

/** Connected, but doesn't respond to remote functions. */
export const noResponse = (window: TimeWindow): Fault => ({ answers: (at) => !isIn(window, at) });

const restartsEvery =
  (periodMs: number, reason: FaultRestartReason, downMs: number) =>
  (window: TimeWindow): Fault => {
    const restartAfter = (after: number): number => {
      const at = window.from + Math.max(0, Math.floor((after - window.from) / periodMs) + 1) * periodMs;
      return after < window.from ? window.from : at < window.to ? at : Infinity;
    };
    return {
      restarts: (from, to) => {
        const found: Restart[] = [];
        for (let at = restartAfter(from - 1); at < to; at = restartAfter(at)) found.push({ at, reason, downMs });
        return found;
      },
      nextEdge: restartAfter,
    };
  };

/** A loose plug: power fails every ten minutes. */
export const rebootStorm = restartsEvery(10 * 60_000, "power", 40_000);

/** The application hangs; the watchdog restarts it every 20 minutes. */
export const watchdogLoop = restartsEvery(20 * 60_000, "watchdog", 25_000);

/** The clock stops; records wait for the next synchronization and get estimated times. */
export const frozenClock = (window: TimeWindow): Fault => ({
  clock: (at) => (isIn(window, at) ? "frozen" : "ok"),
  nextEdge: edgesOf(window),
});

/** Empty battery: the clock starts in 1970, and power fails before it is set, so times stay bad. */
export const lostClock = (window: TimeWindow): Fault => ({
  clock: (at) => (isIn(window, at) ? "lost" : "ok"),
  restarts: (from, to) =>
    [window.from, window.to]
      .filter((at) => at >= from && at < to)
      .map((at) => ({ at, reason: "power", downMs: 30_000 })),
  nextEdge: edgesOf(window),
});

/** Back-fills the three days around the last clock change, one of which has 23 or 25 hours. */
export function dstNight(startedAt: number, zone: string): Fault {
  const changeAt = lastChangeBefore(zone, startedAt - 48 * hourMs);
  if (changeAt === null) return {};
  const from = Math.floor((changeAt - 36 * hourMs) / hourMs) * hourMs;
  return { past: { from, to: from + 72 * hourMs } };
}

export const coveredLens = (window: TimeWindow): Fault => ({
  view: (at) => (isIn(window, at) ? 1 : 0),
  nextEdge: edgesOf(window),
});

const darkFromMinute = 22 * 60;
const darkToMinute = 5 * 60;

/** Lights off every night from 22:00 to 5:00 local time. */
export function darkNight(window: TimeWindow, zone: string): Fault {
  const isDark = (at: number): boolean => {
    const { minute } = localMoment(zone, at);
    return minute >= darkFromMinute || minute < darkToMinute;
  };
  const nextSwitch = (after: number): number => {
    const { minute } = localMoment(zone, after);
    const next = [darkToMinute, darkFromMinute].find((one) => minute < one) ?? 24 * 60 + darkToMinute;
    // A clock change before the next switch would shift it by an hour, so check again every quarter hour.
    return Math.min(after + Math.max(1, Math.round((next - minute) * 60_000)), nextQuarter(after));
  };
  return {
    view: (at) => (isIn(window, at) && isDark(at) ? 3 : 0),
    nextEdge: (after) => (isIn(window, after) ? Math.min(window.to, nextSwitch(after)) : edgesOf(window)(after)),
  };
}

const nextQuarter = (after: number): number => Math.floor(after / lookAgainMs + 1) * lookAgainMs;

/** Low sun shines into the lens between 17:00 and 18:00 local time. */
export const tooBright = (window: TimeWindow, zone: string): Fault => ({
  view: (at) => (isIn(window, at) && Math.floor(localMoment(zone, at).minute / 60) === 17 ? 5 : 0),
  nextEdge: (after) => (isIn(window, after) ? Math.min(window.to, nextQuarter(after)) : edgesOf(window)(after)),
});

/** Has power only for the first half hour of every six hours, counted from the start of the run. */
export const shortDays = (window: TimeWindow, startedAt: number): Fault => {
  const [roundMs, onMs] = [6 * 3_600_000, 1_800_000];
  const phase = (at: number): number => (((at - startedAt) % roundMs) + roundMs) % roundMs;
  const nextSwitch = (after: number): number => after - phase(after) + (phase(after) < onMs ? onMs : roundMs);
  return {
    powered: (at) => !isIn(window, at) || phase(at) < onMs,
    nextEdge: (after) => (isIn(window, after) ? Math.min(window.to, nextSwitch(after)) : edgesOf(window)(after)),
  };
};

/** Counts no one and has no other symptom. */
export const zeroDay = (window: TimeWindow): Fault => ({
  sees: (at) => (isIn(window, at) ? 0 : 1),
  nextEdge: edgesOf(window),
});

/** Counts fewer people of one direction every day, down to 40 %. */
export function drift(window: TimeWindow, missed: Direction, zone: string): Fault {
  const firstDay = localMoment(zone, window.from).dayNumber;
  return {
    sees: (at, direction) =>
      direction === missed && isIn(window, at)
        ? Math.max(0.4, 0.85 - 0.05 * (localMoment(zone, at).dayNumber - firstDay))
        : 1,
    nextEdge: edgesOf(window),
  };
}

const inUpdates = (update: UpdateFault) => (): Fault => ({ update });

/** The new firmware fails its self-test and rolls back. */
export const failedSelfTest = inUpdates("selftest");
/** One byte of the download is corrupted. */
export const damagedDownload = inUpdates("hash");
/** The new firmware never connects; the device rolls back. */
export const noConnectionAfterUpdate = inUpdates("silent");
/** The device trusts a different key than the server's. */
export const foreignKey = inUpdates("sig");
/** Power fails during download and during installation. */
export const powerLossDuringUpdate = inUpdates("power");
/** The installation neither finishes nor fails. */
export const stuckInstallation = inUpdates("stuck");
