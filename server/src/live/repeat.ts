// Repeats deliveries while the database is unavailable, so that clients do not have to reload.
import { isDatabaseUnavailable } from "../db/database.ts";

const everyMs = 250;
/** After this time, clients reload, and their own calls show what is wrong. */
const atMostMs = 60_000;

/**
 * Runs `work` again while it fails because the database is unavailable. `work` must not have sent anything when it fails. Rejects with
 * any other error at once, and with this one after a minute or when `stopping` is aborted.
 */
export async function repeatWhileUnavailable<T>(work: () => Promise<T>, stopping: AbortSignal): Promise<T> {
  const until = performance.now() + atMostMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (stopping.aborted || performance.now() >= until || !isDatabaseUnavailable(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
