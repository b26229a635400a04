// When a part of the page is about to be seen: what takes much to draw waits for that.
import { type RefObject, useEffect, useState } from "react";

/** How far (px) below the screen something begins to count as near. */
const reach = "300px";
/**
 * Whether it was near to the screen, or is going to be printed; once true it stays so. What is far is drawn all the same
 * after `restMs`, when the first of the page is there: it does not make people wait who come to it. Null: not before it is near.
 */
export function useNear(place: RefObject<Element | null>, restMs: number | null): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const come = () => setNear(true);
    const observer = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && come(), {
      rootMargin: reach,
    });
    observer.observe(element);
    const timer = restMs === null ? undefined : setTimeout(come, restMs);
    window.addEventListener("beforeprint", come);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      window.removeEventListener("beforeprint", come);
    };
  }, [place, restMs]);
  return isNear;
}
