// Faults that restart the sensor again and again.
import type { Fault, Restart, RestartReason, Window } from "./world.ts";

function every(window: Window, periodMs: number, reason: RestartReason, downMs: number): Fault {
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
}

/** A loose plug: the power goes every ten minutes. */
export function rebootStorm(window: Window): Fault {
  return every(window, 10 * 60_000, "power", 40_000);
}

/** The application hangs; the watchdog restarts it every 20 minutes. */
export function watchdogLoop(window: Window): Fault {
  return every(window, 20 * 60_000, "watchdog", 25_000);
}
