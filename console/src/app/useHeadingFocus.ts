// After a step to another page the focus goes to its heading, so that keyboard and screen reader start where the eye does.
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/** A closing dialog or menu gives the focus back a little later, to something outside the page. */
const holdMs = 1000;

/** `page` names the page shown; dialogs over it don't change it. The very first page keeps the browser's own start. */
export function useHeadingFocus(page: string): void {
  const shown = useRef(page);
  // A step under way has its name already, while the page that is left is still shown.
  const settled = useRouterState({ select: (state) => state.status === "idle" });
  useEffect(() => {
    if (!settled || shown.current === page || page === "") return;
    if (shown.current === "") {
      shown.current = page;
      return;
    }
    return seekHeading(() => (shown.current = page));
  }, [page, settled]);
}

/**
 * Focuses the page's heading as soon as there is one, however slow its code and data are, and the next one when the page
 * puts another in its place. `onEnd` is called when the person goes on meanwhile: the focus stays there. Answers how to stop.
 */
function seekHeading(onEnd: () => void): () => void {
  let foundAt: number | undefined;
  const look = () => {
    const heading = document.querySelector<HTMLElement>("main h1");
    const active = document.activeElement;
    if (heading === null || active === heading) return;
    // Who comes back to a list goes on at the row that they opened.
    if (active?.matches("[data-returned]") === true) return end();
    // What React keeps hidden while its successor loads takes no focus.
    if (heading.getClientRects().length === 0) return;
    if (active !== null && active !== document.body) {
      // Somebody works in the new page already.
      if (active.closest("main") !== null && (foundAt !== undefined || active.matches("input, textarea"))) return end();
      if (foundAt !== undefined && Date.now() - foundAt > holdMs) return end();
    }
    // They hold the focus: each would take it from the other without end.
    if (document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null) return;
    foundAt ??= Date.now();
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  };
  const changes = new MutationObserver(look);
  const stop = () => {
    changes.disconnect();
    document.removeEventListener("focusin", look);
    document.removeEventListener("keydown", end, true);
    document.removeEventListener("pointerdown", end, true);
  };
  const end = () => {
    stop();
    onEnd();
  };
  changes.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["style"] });
  document.addEventListener("focusin", look);
  document.addEventListener("keydown", end, true);
  document.addEventListener("pointerdown", end, true);
  look();
  return stop;
}
