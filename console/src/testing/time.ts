// Fakes time, so that durations don't depend on the machine.
import { vi } from "vitest";

/** Options for `vi.useFakeTimers`. Fakes the timers that pages use, and `performance`, which `visibleDuration` uses. */
export const testTimerOptions = { toFake: ["setTimeout", "clearTimeout", "performance"] } satisfies Parameters<
  typeof vi.useFakeTimers
>[0];

/** Advances time, rendering every 100 ms. */
export async function advanceTime(ms: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += 100) await vi.advanceTimersByTimeAsync(100);
}
