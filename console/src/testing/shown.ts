// Observes short-lived content from within the page, because polling could miss it.
import type { Locator } from "vitest/browser";

/** Calls `look` after each DOM change until it returns a value. */
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

/** How long a text is visible, in ms. Call before it appears. */
export function visibleDuration(text: string): Promise<number> {
  let since: number | null = null;
  return watch(() => {
    if (document.body.textContent.includes(text)) since ??= performance.now();
    else if (since !== null) return performance.now() - since;
    return undefined;
  });
}

/** Resolves once the element was visible. Call before it appears. */
export function waitForAppearance(what: Locator): Promise<true> {
  return watch(() => (what.elements().some((one) => one.checkVisibility()) ? true : undefined));
}
