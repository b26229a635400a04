// A batch that says how many objects it expects: another number is looked at again before anything changes (docs/rules/api.md#batches).
import { CallError } from "../../api/call.ts";
import { AskAgain } from "../../ui/batch/batchJob.ts";

/** What was sent, or another look where the server counts another number than expected, which `onCount` gets. */
export async function orAskAgain<T>(sent: Promise<T>, onCount: (count: number) => void): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    const count = error instanceof CallError && error.status === 409 ? error.details["count"] : undefined;
    if (typeof count !== "number") throw error;
    onCount(count);
    throw new AskAgain();
  }
}
