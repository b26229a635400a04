// Prevents losing unsaved input: asks before the page is closed or left by navigation.
import { createContext, useContext, useEffect, useState } from "react";

/** Calls `mayGo` before each navigation; returns a function that removes the blocker. */
export type NavigationBlocker = (mayGo: () => Promise<boolean>) => () => void;

/** Provide once around the application; without it, navigation isn't blocked. */
export const NavigationBlockerContext = createContext<NavigationBlocker | null>(null);

type Waiting = { proceed: () => void; stay?: () => void };

/** While `enabled`, the browser asks before closing the page. */
export function useBeforeUnload(enabled: boolean): void {
  useEffect(() => {
    if (!enabled) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onBeforeUnload);
    return () => window.removeEventListener("beforeunload", onBeforeUnload);
  }, [enabled]);
}

let unsaved = 0;

export const isAnythingUnsaved = () => unsaved > 0;

/** Asks before input is lost while `dirty`. Pass the result to `toDiscardDialogProps`. */
export function useDirtyGuard(dirty: boolean) {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const blockNavigation = useContext(NavigationBlockerContext);
  useEffect(() => {
    if (!dirty) return;
    unsaved += 1;
    return () => {
      unsaved -= 1;
    };
  }, [dirty]);
  useEffect(() => {
    if (!dirty) return;
    return blockNavigation?.(
      () => new Promise((resolve) => setWaiting({ proceed: () => resolve(true), stay: () => resolve(false) })),
    );
  }, [dirty, blockNavigation]);
  useBeforeUnload(dirty);
  return {
    /** Calls `proceed` immediately if nothing is unsaved. Otherwise `leave` calls it later, and `stay` discards it. */
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
