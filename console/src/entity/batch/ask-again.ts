// Makes the user confirm a batch again if the number of objects has changed (docs/rules/api.md#batches).
import { CallError } from "../../api/call.ts";
import { ConfirmAgainError } from "../../ui/batch/batchJob.ts";

/** On a count mismatch, calls `onCount` with the server's number and throws ConfirmAgainError. */
export async function confirmAgainOnMismatch<T>(sent: Promise<T>, onCount: (count: number) => void): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    const count = error instanceof CallError && error.status === 409 ? error.details["count"] : undefined;
    if (typeof count !== "number") throw error;
    onCount(count);
    throw new ConfirmAgainError();
  }
}
