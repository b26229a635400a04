// When a page can be measured: its own letters are there, and nothing on it moves.

import type { Page } from "@playwright/test";

const limitMs = 30_000;

/** What turns for ever, such as a spinner, has no rest to wait for. */
const isAtRest = `document.fonts.status === "loaded" && document
  .getAnimations()
  .every((each) => each.playState !== "running" || each.effect.getComputedTiming().endTime === Infinity)`;

/** Colors in transition belong to no state, and letters of another font take up different space. */
export function atRest(page: Page): Promise<void> {
  return untilTrue(page, isAtRest, "the page comes to rest");
}

/**
 * Waits until an expression holds, asked in the page itself frame by frame: a look from outside comes a tenth of a second
 * late. The page's policy forbids what `waitForFunction` does with a text.
 */
export async function untilTrue(page: Page, expression: string, what: string): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const until = Date.now() + ${limitMs};
    const look = () => {
      if (${expression}) resolve();
      else if (Date.now() > until) reject(new Error(${JSON.stringify(`not within ${limitMs / 1000} s: ${what}`)}));
      else setTimeout(look, 16);
    };
    look();
  })`);
}
