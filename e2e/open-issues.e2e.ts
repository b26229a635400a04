// Tests how a support team works on open issues, and in how many clicks.

import type { Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import { findSensorWithIssues } from "./issues.ts";
import { expect, test } from "./world.ts";

/** Counts clicks of the mouse. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate("globalThis.clicks = 0; addEventListener('pointerdown', () => (globalThis.clicks += 1), true)");
  return () => page.evaluate<number>("globalThis.clicks");
}

test("an issue is assigned with a note in four clicks from any page, snoozed, and found again", async ({
  page,
  apiAs,
  signIn,
}) => {
  await findSensorWithIssues(await apiAs("customer"));
  await signIn(page, "customer");
  await page.goto("/sensor");
  const clicks = await countClicks(page);
  await page.getByRole("link", { name: /^Issues, [\d,]+ open$/ }).click();
  await expect(page).toHaveURL(/\/issues$/);
  const row = page.getByRole("table", { name: "Issues" }).getByRole("row").nth(1);
  const name = await row.getByRole("button", { name: /^Assign: / }).getAttribute("aria-label");
  const sensor = name?.split(" ").at(-1) ?? "";
  await row.getByRole("button", { name: /^Assign: / }).click();
  const dialog = page.getByRole("dialog", { name: "Assign" });
  await dialog.getByRole("combobox", { name: "Assign to" }).pressSequentially("customer");
  await page.getByRole("option").first().click();
  await page.keyboard.press("Tab");
  await page.keyboard.type("Please look at it");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  expect(await clicks()).toBeLessThanOrEqual(4);

  const rows = page.getByRole("row").filter({ hasText: sensor });
  await page.goto(`/issues?assigneeID=me`);
  await expect(rows.first()).toContainText("customer");
  await rows
    .first()
    .getByRole("button", { name: /^Snooze: / })
    .click();
  await page.getByRole("radio", { name: "In a week, 8:00" }).click();
  expect(await findPageFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("1 issue snoozed")).toBeVisible();
  await page.goto(`/issues?assigneeID=me&snoozed=true`);
  await expect(rows.first()).toBeVisible();
  await rows.first().getByRole("link").first().click();
  await expect(page.getByRole("dialog").getByText("Please look at it")).toBeVisible();
  await expect(page.getByRole("dialog").getByText(/^Snoozed until/)).toBeVisible();
});
