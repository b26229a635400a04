// Tracks which fields were blurred and may show errors. Waits until the press that caused the blur has ended, so that the
// layout doesn't shift under the pointer.
import { useCallback, useEffect, useRef, useState } from "react";

const none: ReadonlySet<string> = new Set();

export function useBlurredFields() {
  const [left, setLeft] = useState(none);
  const isPressed = useRef(false);
  const waiting = useRef<string[]>([]);
  const note = useCallback(
    (fieldPaths: readonly string[]) =>
      setLeft((before) =>
        fieldPaths.every((fieldPath) => before.has(fieldPath)) ? before : new Set([...before, ...fieldPaths]),
      ),
    [],
  );
  useEffect(() => {
    const down = () => {
      isPressed.current = true;
    };
    const up = () => {
      isPressed.current = false;
      // Waits for the click event. If another press has started meanwhile, errors are shown only after that press has ended.
      requestAnimationFrame(() => {
        if (!isPressed.current) note(waiting.current.splice(0));
      });
    };
    window.addEventListener("pointerdown", down, true);
    window.addEventListener("pointerup", up, true);
    window.addEventListener("pointercancel", up, true);
    return () => {
      window.removeEventListener("pointerdown", down, true);
      window.removeEventListener("pointerup", up, true);
      window.removeEventListener("pointercancel", up, true);
    };
  }, [note]);
  return {
    wasLeft: (fieldPath: string) => left.has(fieldPath),
    leave: (fieldPath: string) => {
      if (isPressed.current) waiting.current.push(fieldPath);
      else note([fieldPath]);
    },
    forget: () => {
      waiting.current = [];
      setLeft(none);
    },
  };
}
