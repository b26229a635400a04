// How a dialog is opened to be looked at, and the steps that many of them share.

import type { Locator, Page } from "@playwright/test";

/**
 * `open` answers what is to be looked at. Dialogs of the phone alone are opened at its width. `provokes`: what the browser
 * writes into its console on the way.
 */
export type DialogVisit = { shows: string[]; phone?: true; provokes?: RegExp; open: (page: Page) => Promise<Locator> };

export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
export const pressed = async (
  page: Page,
  name: string | RegExp,
  role: "dialog" | "alertdialog" | "menu" = "dialog",
) => {
  await button(page, name).first().click();
  return page.getByRole(role).last();
};
