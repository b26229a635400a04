// The number of the request that failed last, so that those who ask the support need not look for it.
import { useSyncExternalStore } from "react";

let last: string | null = null;
const listeners = new Set<() => void>();

export function noteFailure(requestId: string): void {
  last = requestId;
  for (const each of listeners) each();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Null while nothing has failed on this page. */
export const useLastFailure = (): string | null => useSyncExternalStore(subscribe, () => last);
