// Delays expensive drawing until an element is near the viewport.
import { type RefObject, useEffect, useState } from "react";

/** Distance (px) below the viewport that counts as near. */
const reach = "300px";
/**
 * Whether the element has been near the viewport, or the page has been printed. Also true after `restMs` (ms), so that scrolling
 * down needs no wait. If `restMs` is null, there is no such timeout.
 */
export function useIsNearViewport(place: RefObject<Element | null>, restMs: number | null): boolean {
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
