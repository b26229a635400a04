// After a step to another page the focus goes to its heading, so that keyboard and screen reader start where the eye does.
import { useEffect, useRef } from "react";

const patienceMs = 3000;

/** `page` names the page shown; dialogs over it don't change it. The very first page keeps the browser's own start. */
export function useHeadingFocus(page: string): void {
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page || page === "") return;
    const first = shown.current === "";
    shown.current = page;
    if (first) return;
    const before = document.activeElement;
    const until = Date.now() + patienceMs;
    let frame = 0;
    // The page's code and data may still be on their way.
    const look = () => {
      const heading = document.querySelector<HTMLElement>("main h1");
      // Whoever has moved on meanwhile is not called back.
      const moved = document.activeElement !== before && document.activeElement !== document.body;
      if (moved || Date.now() > until) return;
      if (heading === null) {
        frame = requestAnimationFrame(look);
        return;
      }
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [page]);
}
