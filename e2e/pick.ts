// Picks from a searchable select after its results have loaded.
import { expect, type Locator } from "@playwright/test";

/** Picks the first match of `option`, by default the typed text. */
export async function pick(field: Locator, text: string, option: string | RegExp = text): Promise<void> {
  await field.fill(text);
  const options = field.page().getByRole("option");
  // Until the results have loaded, options may move.
  await expect(options.filter({ hasNotText: text })).toHaveCount(0);
  await options.filter({ hasText: option }).first().click();
}
