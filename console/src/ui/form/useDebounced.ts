// Debounces a function, e.g. to avoid a request per key.
import { useCallback, useEffect, useRef } from "react";

/** A timer that is cleared on unmount; starting it again replaces the previous one. */
export function useTimer() {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const stop = useCallback(() => clearTimeout(timer.current), []);
  const start = useCallback((run: () => void, delayMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(run, delayMs);
  }, []);
  useEffect(() => stop, [stop]);
  return { start, stop };
}

/** `later` calls `callback` with its latest arguments once `later` hasn't been called for `delayMs`. */
export function useDebounced<A extends unknown[]>(callback: (...args: A) => void, delayMs: number) {
  // The latest callback, because its closure may have changed during the delay.
  const latest = useRef(callback);
  useEffect(() => {
    latest.current = callback;
  });
  const { start, stop: cancel } = useTimer();
  const later = useCallback((...args: A) => start(() => latest.current(...args), delayMs), [start, delayMs]);
  return { later, cancel };
}
