// What stood on the screen for a while only, seen by the page itself and not by a test that looks now and then.
import type { Locator } from "vitest/browser";

/** Asks `look` after each change of the page until it answers something. */
function watch<T>(look: () => T | undefined): Promise<T> {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const found = look();
      if (found === undefined) return;
      observer.disconnect();
      resolve(found);
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}

/** Milliseconds between the appearance and the disappearance of a text. Call it before it appears. */
export function shownFor(text: string): Promise<number> {
  let since: number | null = null;
  return watch(() => {
    if (document.body.textContent.includes(text)) since ??= performance.now();
    else if (since !== null) return performance.now() - since;
    return undefined;
  });
}

/** Ends when this has come to be visible, and be it gone again by then. Call it before that. */
export function appearance(what: Locator): Promise<true> {
  return watch(() => (what.elements().some((one) => one.checkVisibility()) ? true : undefined));
}
