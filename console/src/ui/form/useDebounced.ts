// Calls a function once its caller has rested for a moment: not every key asks the server.
import { useCallback, useEffect, useRef } from "react";

/** One timer that never fires after its component is gone; starting it again ends the one before. */
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

/** `later` calls `delayMs` after the last time, with what that was given. */
export function useDebounced<A extends unknown[]>(callback: (...args: A) => void, delayMs: number) {
  // The newest one: what it closes over may have changed while it waited.
  const latest = useRef(callback);
  useEffect(() => {
    latest.current = callback;
  });
  const { start, stop: cancel } = useTimer();
  const later = useCallback((...args: A) => start(() => latest.current(...args), delayMs), [start, delayMs]);
  return { later, cancel };
}
