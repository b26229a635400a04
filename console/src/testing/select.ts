// Selects that tests open: on a busy machine the release of a click comes so late that the select takes it for a choice.
import { expect } from "vitest";
import { type Locator, userEvent } from "vitest/browser";

/** Opens the list of a select by a key. */
export async function openSelect(field: Locator): Promise<void> {
  // A list that is still closing may hide it.
  await expect.element(field).toBeVisible();
  (field.element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowDown}");
}
