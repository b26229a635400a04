// Picks an option of a searchable select, after the results have loaded.
import { expect, type Locator } from "@playwright/test";

/** Picks the first option that contains `option`, which is the typed text by default. */
export async function pick(field: Locator, text: string, option: string | RegExp = text): Promise<void> {
  await field.fill(text);
  const options = field.page().getByRole("option");
  // Waits for the results, because options may move until they have loaded.
  await expect(options.filter({ hasNotText: text })).toHaveCount(0);
  await options.filter({ hasText: option }).first().click();
}
