// Prevents losing unsaved input: asks before the page is closed or left by navigation.
import { createContext, useContext, useEffect, useState } from "react";

/** Calls `mayGo` before each navigation; returns a function that removes the barrier. */
export type Barrier = (mayGo: () => Promise<boolean>) => () => void;

/** Provide once around the application; without it, navigation isn't blocked. */
export const BarrierContext = createContext<Barrier | null>(null);

type Waiting = { proceed: () => void; stay?: () => void };

/** While `holds`, the browser asks before closing the page. */
export function useBeforeUnload(holds: boolean): void {
  useEffect(() => {
    if (!holds) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onBeforeUnload);
    return () => window.removeEventListener("beforeunload", onBeforeUnload);
  }, [holds]);
}

let unsaved = 0;

/** Whether any form has unsaved input. */
export const isAnythingUnsaved = () => unsaved > 0;

/** Guards while `dirty`; pass the result to `DiscardDialog`. */
export function useDirtyGuard(dirty: boolean) {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const barrier = useContext(BarrierContext);
  useEffect(() => {
    if (!dirty) return;
    unsaved += 1;
    return () => {
      unsaved -= 1;
    };
  }, [dirty]);
  useEffect(() => {
    if (!dirty) return;
    return barrier?.(
      () => new Promise((resolve) => setWaiting({ proceed: () => resolve(true), stay: () => resolve(false) })),
    );
  }, [dirty, barrier]);
  useBeforeUnload(dirty);
  return {
    /** Runs `proceed` immediately if nothing is unsaved, else after `leave`; `stay` drops it. */
    guard: (proceed: () => void) => {
      if (dirty) setWaiting({ proceed });
      else proceed();
    },
    /** Whether the dialog is open. */
    asking: waiting !== null,
    leave: () => {
      setWaiting(null);
      waiting?.proceed();
    },
    stay: () => {
      setWaiting(null);
      waiting?.stay?.();
    },
  };
}
