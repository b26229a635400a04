// Time that passes when the test says so: how long something stands on the screen does not depend on a busy machine.
import { vi } from "vitest";

/** For `vi.useFakeTimers`: what pages wait by, and what `shownFor` measures by. */
export const inTestTime = { toFake: ["setTimeout", "clearTimeout", "performance"] } satisfies Parameters<
  typeof vi.useFakeTimers
>[0];

/** Lets so many milliseconds go by, and the page draw after every tenth of a second. */
export async function pass(ms: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += 100) await vi.advanceTimersByTimeAsync(100);
}
