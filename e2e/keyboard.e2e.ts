// Tests global shortcuts, the search palette, and that Back asks before it loses unsaved input.

import { expect, test } from "./world.ts";

test(
  "Ctrl and K leads to a location by its name, / to the search box, ? to the list of keys",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const [location] = (await api.get<{ objects: { _id: string; name: string }[] }>("/api/v2/measurement?limit=1"))
      .objects;
    await signIn(page, "customer");
    await page.goto("/sensor");
    await expect(page.getByRole("button", { name: "Account menu" })).toBeVisible();
    // Waits for the page, because shortcuts don't work yet when only the header is displayed.
    await expect(page.getByLabel("Search by ID")).toBeVisible();
    await page.keyboard.press("/");
    await expect(page.getByLabel("Search by ID")).toBeFocused();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search" });
    await palette.getByRole("combobox").fill(location?.name ?? "");
    await palette
      .getByRole("option", { name: location?.name ?? "" })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/location\/[^/]+\/general$/);
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  },
);

test("unsaved input is asked about before Back loses it", { tag: "@prove" }, async ({ page, signIn }) => {
  await signIn(page, "customer");
  await page.goto("/sensor");
  await page.getByRole("table", { name: "Sensors" }).getByRole("row").nth(2).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  const address = page.url();
  await page.getByLabel("Groups").fill("north");
  await page.getByLabel("Groups").press("Enter");
  await page.goBack();
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toContainText("Groups");
  expect(page.url()).toBe(address);
  await page.goBack();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await expect(page).toHaveURL("/sensor");
});

test("/ leads to the search box of a page that is still on its way", { tag: "@prove" }, async ({ page, signIn }) => {
  const late = Promise.withResolvers<void>();
  const fetched = Promise.withResolvers<void>();
  // Delays the list's chunk. The shortcut still works, because it waits for a few seconds.
  await page.route(/\/assets\/sensors-/, async (route) => {
    const response = await route.fetch();
    fetched.resolve();
    await late.promise;
    await route.fulfill({ response });
  });
  await signIn(page, "customer");
  await page.goto("/sensor", { waitUntil: "commit" });
  await fetched.promise;
  await expect(page.getByRole("button", { name: "Account menu" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Search by ID" })).toHaveCount(0);
  await page.keyboard.press("/");
  late.resolve();
  await expect(page.getByRole("textbox", { name: "Search by ID" })).toBeFocused();
  await page.keyboard.type("7a");
  await expect(page.getByRole("textbox", { name: "Search by ID" })).toHaveValue("7a");
});

test("the focus goes to the heading of a page however late it comes", { tag: "@prove" }, async ({ page, signIn }) => {
  let arrive = () => {};
  const late = new Promise<void>((resolve) => (arrive = resolve));
  await page.route(/\/assets\/SensorPage-/, (route) => late.then(() => route.continue()));
  const asked = page.waitForRequest(/\/SensorPage-/);
  await page.clock.install();
  await signIn(page, "customer");
  await page.goto("/sensor");
  await page.getByRole("table", { name: "Sensors" }).getByRole("row").nth(2).click();
  await asked;
  await page.clock.runFor(10_000);
  arrive();
  await expect(page.getByRole("heading", { level: 1, name: /^00:/ })).toBeFocused();
});
