// Request id of the last failure, for support requests.
import { useSyncExternalStore } from "react";

let last: string | null = null;
const listeners = new Set<() => void>();

export function recordFailure(requestId: string): void {
  last = requestId;
  for (const each of listeners) each();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Null if nothing has failed since the page was loaded. */
export const useLastFailedRequestId = (): string | null => useSyncExternalStore(subscribe, () => last);
