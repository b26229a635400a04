// Keeps unsaved input from being lost: the browser asks before the page goes, and leaving inside the console asks first.
import { createContext, useContext, useEffect, useState } from "react";

/** Asks `mayGo` before each step to another page; answers how to stop asking. */
export type Barrier = (mayGo: () => Promise<boolean>) => () => void;

/** Put once around the application; without it, steps inside the console are not held back. */
export const BarrierContext = createContext<Barrier | null>(null);

type Waiting = { proceed: () => void; stay?: () => void };

/** The browser asks before the page goes, while `holds`. */
export function useBeforeUnload(holds: boolean): void {
  useEffect(() => {
    if (!holds) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onBeforeUnload);
    return () => window.removeEventListener("beforeunload", onBeforeUnload);
  }, [holds]);
}

let unsaved = 0;

/** Is there any form with input that is not saved? */
export const isAnythingUnsaved = () => unsaved > 0;

/** Guards while `dirty`; render `DiscardDialog` with the answer. */
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
    /** Runs `proceed` at once when nothing is unsaved, else keeps it until `leave` or `stay`. */
    guard: (proceed: () => void) => {
      if (dirty) setWaiting({ proceed });
      else proceed();
    },
    /** True while the question is open. */
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
