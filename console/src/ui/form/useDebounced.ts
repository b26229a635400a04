// Calls a function once its caller has rested for a moment: not every key asks the server.
import { useCallback, useEffect, useRef } from "react";

/** `later` calls `delayMs` after the last time, with what that was given; never after the component is gone. */
export function useDebounced<A extends unknown[]>(callback: (...args: A) => void, delayMs: number) {
  // The newest one: what it closes over may have changed while it waited.
  const latest = useRef(callback);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    latest.current = callback;
  });
  const cancel = useCallback(() => clearTimeout(timer.current), []);
  const later = useCallback(
    (...args: A) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => latest.current(...args), delayMs);
    },
    [delayMs],
  );
  useEffect(() => cancel, [cancel]);
  return { later, cancel };
}
