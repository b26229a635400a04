// Opens selects by keyboard, because on a busy machine the release of a click could select an option.
import { expect } from "vitest";
import { type Locator, userEvent } from "vitest/browser";

export async function openSelect(field: Locator): Promise<void> {
  // A list that is still closing may cover the field.
  await expect.element(field).toBeVisible();
  (field.element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowDown}");
}
