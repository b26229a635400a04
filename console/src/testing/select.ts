// Opens selects by keyboard: on busy machines the release of a click could select an option.
import { expect } from "vitest";
import { type Locator, userEvent } from "vitest/browser";

export async function openSelect(field: Locator): Promise<void> {
  // A closing list may cover it.
  await expect.element(field).toBeVisible();
  (field.element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowDown}");
}
