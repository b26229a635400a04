// Choosing from a field that searches while one types, as a person does who waits for what was asked.
import { expect, type Locator } from "@playwright/test";

/** Types `text` into the field and takes the first option that fits, `text` itself unless given. */
export async function pick(field: Locator, text: string, option: string | RegExp = text): Promise<void> {
  await field.fill(text);
  const options = field.page().getByRole("option");
  // Until the answer to what was typed is there, the list may move under the click.
  await expect(options.filter({ hasNotText: text })).toHaveCount(0);
  await options.filter({ hasText: option }).first().click();
}
