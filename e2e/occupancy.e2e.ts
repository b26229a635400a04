// Tests the occupancy app: configuration, door display, manual correction and revoked links.

import type { Browser, Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import {
  createDoorWithApp,
  prepareLicensedLocation,
  prepareLocationWithApp,
  waitForKnownState,
} from "./occupancy-app.ts";
import { expectMessage, messageDuration } from "./messages.ts";
import { expect, newName, personas, test } from "./world.ts";

async function tabletOf(browser: Browser, link: string, size = { width: 1024, height: 768 }): Promise<Page> {
  const context = await browser.newContext({ viewport: size });
  const tablet = await context.newPage();
  await tablet.goto(link);
  return tablet;
}

/** Creates a link in the open dialog, with a read-only login. */
async function makeLink(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog", { name: "Application link" });
  await dialog.getByRole("textbox", { name: "Email" }).fill(personas.readonly.email);
  await dialog.getByRole("textbox", { name: "Password" }).fill(personas.readonly.password);
  await dialog.getByRole("button", { name: "Generate link" }).click();
  await expectMessage(page, "Link copied to clipboard");
  return dialog.getByRole("textbox", { name: "Link" }).inputValue();
}

test("OC-01 OC-03 a tablet shows the light by a link until the link is revoked", async ({
  page,
  browser,
  context,
  signIn,
  apiAs,
}) => {
  const api = await apiAs("customer");
  const id = await prepareLicensedLocation(api, await apiAs("support"));
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page, "customer");
  await page.goto(`/location/${id}/apps`);
  await page.getByRole("link", { name: "Set up the occupancy app" }).click();

  const live = page.getByRole("link", { name: "Live preview" });
  await expect(live).toHaveAttribute("aria-disabled", "true");
  await expect(live).toHaveAttribute("aria-description", "Enable the app and save it first");
  await page.getByRole("switch", { name: "Enabled", exact: true }).click();
  const most = page.getByRole("textbox", { name: "Maximum number of people" });
  await most.fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await expectMessage(page, "Invalid configuration");
  await expect(page.getByText("Max number of people is required").first()).toBeVisible();
  await most.fill("1000");
  const opened = page.getByRole("region", { name: "When people may enter" });
  const title = newName("Hello");
  await opened.getByRole("textbox", { name: "Title", exact: true }).fill(title);
  await expect(page.getByRole("group", { name: "Preview: May enter" }).getByText(title)).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await expectMessage(page, "Saved");

  await page.getByRole("link", { name: "Application link" }).click();
  const link = await makeLink(page);
  expect(link).toMatch(new RegExp(`/display/${id}\\?k=[\\w-]+$`));
  expect(link).not.toContain(encodeURIComponent(personas.readonly.email));
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(link);
  const lasted = await messageDuration(page, "Link copied to clipboard");
  expect(lasted.ms).toBeGreaterThan(2400);
  expect(lasted.msAwake).toBeLessThan(4000);

  const tablet = await tabletOf(browser, link);
  const mayEnter = tablet.getByText(title);
  const mustWait = tablet.getByText("Please wait here!");
  const correct = (count: number) => api.post(`/api/measurement/${id}/occupancy/corrections`, { count });
  await waitForKnownState(api, id);
  await correct(3);
  await expect(mayEnter).toBeVisible();
  await expect(tablet.getByText("Always wear a mask")).toBeVisible();
  expect(await findPageFaults(tablet)).toEqual([]);
  await correct(5000);
  await expect(mustWait).toBeVisible();
  await expect(mayEnter).toBeHidden();
  expect(await findPageFaults(tablet)).toEqual([]);

  for (const size of [
    { width: 768, height: 1024 },
    { width: 390, height: 844 },
  ]) {
    await tablet.setViewportSize(size);
    await expect(mustWait).toBeInViewport({ ratio: 1 });
    await expect(tablet.getByText("Don't touch anything")).toBeInViewport({ ratio: 1 });
  }

  await correct(3);
  await expect(mayEnter).toBeVisible();
  await tablet.context().setOffline(true);
  await expect(tablet.getByRole("alert").getByText("Connection lost, reconnecting...")).toBeVisible();
  await expect(mayEnter).toBeHidden();
  await expect(tablet.getByText(/^The number of people is currently unknown/)).toBeVisible();
  await tablet.context().setOffline(false);
  await expect(mayEnter).toBeVisible();

  const dialog = page.getByRole("dialog", { name: "Application link" });
  await dialog.getByRole("button", { name: "Revoke all links" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await expectMessage(page, "1 display revoked");
  await expect(tablet.getByRole("heading", { level: 1, name: "This link does not work" })).toBeVisible();
  await tablet.context().close();
});

test(
  "OC-03 a link that was cut, and one of another login, show no light",
  { tag: "@prove" },
  async ({ browser, apiAs, baseURL }) => {
    const id = await prepareLocationWithApp(await apiAs("customer"), await apiAs("support"));
    for (const query of ["", "?k=", "?k=none"]) {
      const tablet = await tabletOf(browser, `${baseURL}/display/${id}${query}`);
      await expect(tablet.getByRole("heading", { level: 1, name: "This link does not work" })).toBeVisible();
      await tablet.context().close();
    }
  },
);

test(
  "OC-03 the live preview follows the count, and closing it returns to the form",
  { tag: "@prove" },
  async ({ page, signIn, apiAs }) => {
    const api = await apiAs("customer");
    const id = await prepareLocationWithApp(api, await apiAs("support"));
    await signIn(page, "customer");
    await page.goto(`/location/${id}/apps/occupancy`);
    await page.getByRole("link", { name: "Live preview" }).click();
    await expect(page).toHaveURL(/\/apps\/occupancy\/live$/);
    const preview = page.getByRole("dialog", { name: "Live preview" });
    await waitForKnownState(api, id);
    await api.post(`/api/measurement/${id}/occupancy/corrections`, { count: 5000 });
    await expect(preview.getByText("Please wait here!")).toBeVisible();
    await api.post(`/api/measurement/${id}/occupancy/corrections`, { count: 0 });
    await expect(preview.getByText("You may enter!")).toBeVisible();
    await preview.getByRole("button", { name: "Close" }).click();
    await expect(page).toHaveURL(/\/apps\/occupancy$/);
  },
);

test(
  "OC-02 the ledger says what was shown and why, and who corrected it",
  { tag: "@prove" },
  async ({ page, signIn, apiAs }) => {
    const api = await apiAs("customer");
    const id = await prepareLocationWithApp(api, await apiAs("support"));
    await waitForKnownState(api, id);
    await signIn(page, "customer");
    await page.goto(`/location/${id}/apps/occupancy/ledger`);
    await page.getByRole("button", { name: "Correct the count" }).click();
    const dialog = page.getByRole("dialog", { name: "Correct the count" });
    await dialog.getByRole("textbox", { name: "People inside now" }).fill("2000");
    await dialog.getByRole("textbox", { name: "Note" }).fill("counted by hand");
    await dialog.getByRole("button", { name: "Correct", exact: true }).click();
    await expectMessage(page, "Count set to 2,000");
    const entry = page.getByRole("row").filter({ hasText: "counted by hand" }).first();
    await expect(entry).toContainText(personas.customer.account);
    await expect(page.getByRole("region", { name: "What was shown" }).getByText("Please wait")).toBeVisible();
    await page.getByRole("button", { name: "Show table" }).click();
    await expect(
      page
        .getByRole("region", { name: /table$/ })
        .getByRole("row")
        .nth(1),
    ).toContainText("1,000");
  },
);

test(
  "OC-02 people are walked in until the light closes, and out until it opens",
  { tag: "@prove" },
  async ({ page, signIn, apiAs, simulate }) => {
    const api = await apiAs("customer");
    const { id, sensor, walk } = await createDoorWithApp(api, await apiAs("support"), simulate);
    await waitForKnownState(api, id);
    await api.post(`/api/measurement/${id}/occupancy/corrections`, { count: 950 });
    await signIn(page, "customer");
    await page.goto(`/location/${id}/apps/occupancy/live`);
    const preview = page.getByRole("dialog", { name: "Live preview" });
    await expect(preview.getByText("You may enter!")).toBeVisible();
    walk("in", 100);
    await expect(preview.getByText("Please wait here!")).toBeVisible();
    await expect(preview.getByText("You may enter!")).toBeHidden();
    walk("out", 100);
    await expect(preview.getByText("You may enter!")).toBeVisible();
    await api.remove(`/api/sensor/${sensor}`);
  },
);
