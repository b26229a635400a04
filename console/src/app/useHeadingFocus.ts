// Moves the focus to the heading after navigation, for keyboard and screen reader users.
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/**
 * How long the heading takes the focus back from elements outside the page. A closing dialog or menu restores the focus with a
 * delay, possibly to such an element.
 */
const holdMs = 1000;

/** `page` identifies the displayed page, regardless of dialogs. The first page keeps the browser's default focus. */
export function useHeadingFocus(page: string): void {
  const shown = useRef(page);
  // During a navigation, `page` is already the new page while the old one is displayed.
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
 * Focuses the heading as soon as it exists, and again if another page replaces it. Calls `onEnd` when the user acts. Returns
 * a function that stops it.
 */
function seekHeading(onEnd: () => void): () => void {
  let foundAt: number | undefined;
  const look = () => {
    const heading = document.querySelector<HTMLElement>("main h1");
    const active = document.activeElement;
    if (heading === null || active === heading) return;
    // On return to a list, the opened row keeps the focus.
    if (active?.matches("[data-returned]") === true) return end();
    // React hides the old page while the next one loads.
    if (heading.getClientRects().length === 0) return;
    if (active !== null && active !== document.body) {
      // The user is already working on the new page.
      if (active.closest("main") !== null && (foundAt !== undefined || active.matches("input, textarea"))) return end();
      if (foundAt !== undefined && Date.now() - foundAt > holdMs) return end();
    }
    // An open dialog traps the focus and would take it back endlessly.
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
