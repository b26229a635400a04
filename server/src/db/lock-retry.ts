// Retries work that needs a strong lock on a table. Statements of others queue behind such a lock while it waits for its turn.
import { setTimeout as delay } from "node:timers/promises";

/** How long one attempt waits for a lock. Then it must let the queued statements pass. */
export const lockTimeoutMs = 2000;
const maxPauseMs = 10_000;

/**
 * Repeats `attempt`, at most `tries` times, while its locks are not available within `lockTimeoutMs`, which the attempt must set itself.
 * Pauses between 250 ms and 10 s. Throws the last error.
 */
export async function retryLocked<Result>(
  attempt: () => Promise<Result>,
  onRetry: (pauseMs: number) => void = () => undefined,
  tries = Infinity,
): Promise<Result> {
  let pauseMs = 250;
  for (let left = tries; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (left <= 1 || !isLockTimeout(error)) throw error;
      onRetry(pauseMs);
      await delay(pauseMs);
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
    }
  }
}

export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "55P03";
}
