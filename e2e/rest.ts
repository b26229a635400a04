// When a page can be measured: its own letters are there, and nothing on it moves.

import { expect, type Page } from "@playwright/test";

/** What turns for ever, such as a spinner, has no rest to wait for. */
const isAtRest = `document.fonts.status === "loaded" && document
  .getAnimations()
  .every((each) => each.playState !== "running" || each.effect.getComputedTiming().endTime === Infinity)`;

/** Colours on their way are nobody's colours, and letters of another font take other room. */
export async function atRest(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate<boolean>(isAtRest), { message: "the page comes to rest" }).toBe(true);
}
