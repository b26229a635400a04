// Tells whoever opens a list that there is nothing to choose; where the answer is still on its way then, as soon as it is here.
import { useEffect, useEffectEvent, useRef, useState } from "react";

/**
 * `why` there is nothing to choose: null while there is something, undefined while that is not known. Answers what the
 * select calls when its list opens and closes; `tell` hears of each opening once at most.
 */
export function useNoChoice<Why extends string>(
  why: Why | null | undefined,
  tell: ((why: Why) => void) | undefined,
): { onOpen: () => void; onClose: () => void } {
  const [open, setOpen] = useState(false);
  const decided = useRef(false);
  const onNothing = useEffectEvent((reason: Why) => tell?.(reason));
  useEffect(() => {
    if (!open || why === undefined || decided.current) return;
    decided.current = true;
    if (why !== null) onNothing(why);
  }, [open, why]);
  return {
    onOpen: () => {
      decided.current = false;
      setOpen(true);
    },
    onClose: () => setOpen(false),
  };
}
