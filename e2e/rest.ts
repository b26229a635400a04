// Waits until fonts are loaded and animations have finished, so that a page can be measured.

import type { Page } from "@playwright/test";

const limitMs = 30_000;

/** Endless animations such as spinners are ignored. */
const isAtRest = `document.fonts.status === "loaded" && document
  .getAnimations()
  .every((each) => each.playState !== "running" || each.effect.getComputedTiming().endTime === Infinity)`;

/** Waits, because transitions and fallback fonts would distort measurements. */
export function waitUntilAtRest(page: Page): Promise<void> {
  return waitUntilTrue(page, isAtRest, "the page comes to rest");
}

/**
 * Evaluates an expression in the page every frame until it is true. Polling from outside the page would be 100 ms late. The
 * page's CSP forbids `waitForFunction` with a string.
 */
export async function waitUntilTrue(page: Page, expression: string, what: string): Promise<void> {
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
