// Opens the filters of a list: a panel beside it that is closed on most screens, or a sheet on phones.
import { expect, type Locator, type Page } from "@playwright/test";

/** Returns the panel or sheet, opened if it was closed. */
export async function openFilters(page: Page): Promise<Locator> {
  const button = page.getByRole("button", { name: /^Filters/ });
  await expect(button).toBeVisible();
  if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
  const name = "Filters";
  const filters = page.getByRole("complementary", { name }).or(page.getByRole("dialog", { name }));
  await expect(filters).toBeVisible();
  return filters;
}
