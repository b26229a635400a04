// Keeps unsaved input from being lost: the browser asks before the page goes, and leaving inside the console asks first.
import { useEffect, useState } from "react";

type DirtyGuard = {
  /** Runs `proceed` at once when nothing is unsaved, else keeps it until `leave` or `stay`. */
  guard: (proceed: () => void) => void;
  /** True while the question is open. */
  asking: boolean;
  leave: () => void;
  stay: () => void;
};

/** Guards while `dirty`; render `DiscardDialog` with the answer. Router blockers call `guard` with their own proceed. */
export function useDirtyGuard(dirty: boolean): DirtyGuard {
  const [waiting, setWaiting] = useState<{ proceed: () => void } | null>(null);
  useEffect(() => {
    if (!dirty) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onBeforeUnload);
    return () => window.removeEventListener("beforeunload", onBeforeUnload);
  }, [dirty]);
  return {
    guard: (proceed) => {
      if (dirty) setWaiting({ proceed });
      else proceed();
    },
    asking: waiting !== null,
    leave: () => {
      setWaiting(null);
      waiting?.proceed();
    },
    stay: () => setWaiting(null),
  };
}
