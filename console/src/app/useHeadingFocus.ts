// After a step to another page the focus goes to its heading, so that keyboard and screen reader start where the eye does.
import { useEffect, useRef } from "react";

const patienceMs = 3000;
/** A closing dialog or menu gives the focus back a little later, to an element of the page that was left. */
const holdMs = 300;

/** `page` names the page shown; dialogs over it don't change it. The very first page keeps the browser's own start. */
export function useHeadingFocus(page: string): void {
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page || page === "") return;
    const first = shown.current === "";
    shown.current = page;
    if (first) return;
    let until = Date.now() + patienceMs;
    let found = false;
    let frame = 0;
    // Whoever has gone on meanwhile is not called back.
    const stop = () => cancelAnimationFrame(frame);
    // The page's code and data may still be on their way.
    const look = () => {
      if (Date.now() > until) return;
      frame = requestAnimationFrame(look);
      const heading = document.querySelector<HTMLElement>("main h1");
      if (heading === null || document.activeElement === heading) return;
      // Somebody works in the new page already.
      const active = document.activeElement;
      if (active?.closest("main") && (found || active.matches("input, textarea"))) return stop();
      if (document.querySelector('[role="dialog"], [role="alertdialog"]') !== null) return;
      if (!found) until = Date.now() + holdMs;
      found = true;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    };
    document.addEventListener("keydown", stop, true);
    document.addEventListener("pointerdown", stop, true);
    look();
    return () => {
      stop();
      document.removeEventListener("keydown", stop, true);
      document.removeEventListener("pointerdown", stop, true);
    };
  }, [page]);
}
