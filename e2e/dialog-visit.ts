// Describes how checks open a dialog; includes common steps.

import type { Locator, Page } from "@playwright/test";

/** `open` returns the element to check. `phone` dialogs are opened at phone width. `provokes` matches expected console messages. */
export type DialogVisit = { shows: string[]; phone?: true; provokes?: RegExp; open: (page: Page) => Promise<Locator> };

export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
export const openByButton = async (
  page: Page,
  name: string | RegExp,
  role: "dialog" | "alertdialog" | "menu" = "dialog",
) => {
  await button(page, name).first().click();
  return page.getByRole(role).last();
};

/** Selects the first row of a list, and opens a batch. */
export const openBatch = async (page: Page, list: string, action: string) => {
  await page.goto(list);
  await page
    .getByRole("checkbox", { name: /^Select (?!page)/ })
    .first()
    .check();
  await page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: action, exact: true }).click();
  return page.getByRole("dialog");
};
