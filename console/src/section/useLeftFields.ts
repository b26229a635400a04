// Which fields were left, so that it is said what is wrong there. What is said makes the page longer: it waits for the end of the
// press that left the field, so that the button under the pointer stays under it.
import { useCallback, useEffect, useRef, useState } from "react";

const none: ReadonlySet<string> = new Set();

export function useLeftFields() {
  const [left, setLeft] = useState(none);
  const isPressed = useRef(false);
  const waiting = useRef<string[]>([]);
  const note = useCallback(
    (places: readonly string[]) =>
      setLeft((before) => (places.every((place) => before.has(place)) ? before : new Set([...before, ...places]))),
    [],
  );
  useEffect(() => {
    const down = () => {
      isPressed.current = true;
    };
    const up = () => {
      isPressed.current = false;
      // The click comes after this event, and the next press may have begun before the next frame.
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
    wasLeft: (place: string) => left.has(place),
    leave: (place: string) => {
      if (isPressed.current) waiting.current.push(place);
      else note([place]);
    },
    forget: () => {
      waiting.current = [];
      setLeft(none);
    },
  };
}
