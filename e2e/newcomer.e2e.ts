// Tests that the first tasks of a new user take few clicks: claiming a sensor, finding problems, inviting a colleague (CL-02).
import type { Locator, Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import { createLabel } from "./labels.ts";
import { mailsTo } from "./mails.ts";
import { expectMessage } from "./messages.ts";
import { anotherBrowser, expect, newName, newSensorId, test, typeLogin } from "./world.ts";

async function clicksOn(page: Page): Promise<() => Promise<number>> {
  await page.evaluate("clicks = 0; addEventListener('pointerdown', () => { clicks += 1 }, true)");
  return () => page.evaluate<number>("clicks");
}

for (const look of [
  { from: "the dashboard at a desk", viewport: { width: 1280, height: 900 }, path: "/dashboard", on: "Sensors" },
  { from: "the sensor list on a phone", viewport: { width: 390, height: 844 }, path: "/sensor", on: null },
]) {
  test(
    `CL-02 a sensor is registered and put at a location with six clicks at most, from ${look.from}`,
    { tag: look.from === "the dashboard at a desk" ? [] : "@prove" },
    async ({ page, apiAs, signIn, baseURL }) => {
      const label = await createLabel(await apiAs("support"), baseURL);
      const customer = await apiAs("customer");
      const { _id: owner } = await customer.get<{ _id: string }>("/api/auth/user");
      const name = newName("Corner Shop");
      const shop = await customer.post<{ _id: string }>("/api/measurement", { name, owner });
      await page.setViewportSize(look.viewport);
      await signIn(page, "customer");
      await page.goto(look.path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      const clicks = await clicksOn(page);
      if (look.on !== null) await page.getByRole("banner").getByRole("link", { name: look.on, exact: true }).click();
      await page.getByRole("button", { name: "Register Sensor" }).click();
      const field = page.getByRole("textbox", { name: "Registration code" });
      // Without a camera, the field for typing has the focus at once.
      await expect(field).toBeFocused();
      await page.keyboard.type(`${label.code.slice(0, 3).toLowerCase()}`);
      await expect(field).toHaveAccessibleDescription("3 of 8 characters");
      await page.keyboard.type(`-${label.code.slice(3)}`);
      await expectMessage(page, `Registered sensor with ID "${label.id}"`);
      await page.getByRole("button", { name: "Assign to location" }).click();
      const dialog = page.getByRole("dialog", { name: "Assign 1 sensor to a location" });
      await dialog.getByRole("combobox", { name: "Location" }).click();
      await page.keyboard.type(name);
      await page.getByRole("option", { name }).click();
      await dialog.getByRole("button", { name: "Assign", exact: true }).click();
      await expect(page.getByText(`1 sensor assigned to ${name}`)).toBeVisible();
      expect(await clicks()).toBeLessThanOrEqual(6);
      const sensor = await customer.get<{ measurement: { _id: string } }>(`/api/sensor/${label.id}`);
      expect(sensor.measurement._id).toBe(shop._id);
      await page.getByRole("link", { name: "Open sensor" }).click();
      await expect(page).toHaveURL(`/sensor/aps/${label.id}/general`);
    },
  );
}

test(
  "a location that is created after a claim gets the sensors that were just registered",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, baseURL }) => {
    const maker = await apiAs("support");
    const labels = [await createLabel(maker, baseURL), await createLabel(maker, baseURL)];
    await signIn(page, "customer");
    await page.goto(`/sensor/register?${labels.map(({ code }) => `code=${code}`).join("&")}`);
    await page.getByRole("button", { name: "Assign to location" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Create location" }).click();
    const name = newName("New Shop");
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await expect(page).toHaveURL(/\/location\/[^/]+\/general$/);
    const id = new URL(page.url()).pathname.split("/")[2] ?? "";
    const customer = await apiAs("customer");
    const at = async () =>
      (await customer.get<{ objects: { _id: string }[] }>(`/api/v2/sensor?measID=${id}`)).objects.map(({ _id }) => _id);
    await expect.poll(at).toEqual(labels.map(({ id: one }) => one).toSorted());
  },
);

test(
  "DB-01 from the dashboard one click leads to the sensors that never connected",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const customer = await apiAs("customer");
    const { _id: owner } = await customer.get<{ _id: string }>("/api/auth/user");
    const id = newSensorId();
    await customer.post("/api/sensor", { _id: id, type: "APS", owner });
    await signIn(page, "customer");
    await page.goto("/dashboard");
    const trouble = page.getByRole("region", { name: "Needs attention" });
    const link = trouble.getByRole("link", { name: /^Never connected/ });
    await expect(link).toBeVisible();
    await expect(link).toHaveAttribute("href", "/sensor?lastContact=never");
    // The fleet may still be starting.
    await expect(async () => {
      const { total } = await customer.get<{ total: number }>(
        "/api/v2/sensor?lastContact=never&limit=1&includeTotals=true",
      );
      await expect(link).toContainText(String(total), { timeout: 10_000 });
    }).toPass();
    await link.click();
    await expect(page).toHaveURL("/sensor?lastContact=never");
    await page.goto(`/sensor?lastContact=never&sensorID=${id}`);
    await expect(page.getByText(id).first()).toBeVisible();
  },
);

test(
  "without a dashboard, the set-up card is below the locations and can be dismissed",
  { tag: "@prove" },
  async ({ page, apiAs, browser, signIn, baseURL }) => {
    const library = await apiAs("noLicense");
    await library.put("/api/auth/set-up", { dismissed: false });
    const card = (where: Page) => where.getByRole("region", { name: "Set up", exact: true });
    await signIn(page, "noLicense");
    await page.goto("/");
    await expect(page).toHaveURL("/location");
    await expect(card(page).getByText(/^\d of 4 done$/)).toBeVisible();
    const first = page.locator("a[data-row-link]").first();
    await expect(first).toBeVisible();
    const top = async (one: Locator) => (await one.boundingBox())?.y ?? Number.NaN;
    expect(await top(first)).toBeLessThan(await top(card(page)));
    await expect(card(page).getByText("Register a sensor – Done")).toBeVisible();
    expect(await findPageFaults(page)).toEqual([]);
    await card(page).getByRole("link", { name: "Invite colleague" }).click();
    await expect(page.getByRole("dialog", { name: "Invite a colleague" })).toBeVisible();
    await page.goto("/location");
    await card(page).getByRole("button", { name: "Dismiss" }).click();
    await expect(card(page)).toHaveCount(0);
    const other = await (await browser.newContext({ baseURL: String(baseURL) })).newPage();
    await signIn(other, "noLicense");
    await other.goto("/location");
    await expect(other.getByRole("row").nth(1)).toBeVisible();
    await expect(card(other)).toHaveCount(0);
    expect((await library.get<{ dismissed: boolean }>("/api/auth/set-up")).dismissed).toBe(true);
    await library.put("/api/auth/set-up", { dismissed: false });
  },
);

async function linkIn(email: string, n: number): Promise<string> {
  let link = "";
  const find = async () => (link = /^https?:\S+\/account\/\S+/m.exec((await mailsTo(email))[n - 1] ?? "")?.[0] ?? "");
  await expect.poll(find).not.toBe("");
  return link;
}

test("a colleague who sees all shops and changes nothing is invited with six clicks at most", async ({
  page,
  browser,
  apiAs,
  signIn,
}) => {
  const customer = await apiAs("customer");
  const { _id: owner } = await customer.get<{ _id: string }>("/api/auth/user");
  const name = newName("Corner Shop");
  const { _id: shop } = await customer.post<{ _id: string }>("/api/measurement", { name, owner });
  const email = `${newName("colleague").replace(" ", ".")}@example.com`;
  await signIn(page, "customer");
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const clicks = await clicksOn(page);
  await page.getByRole("banner").getByRole("link", { name: "Accounts", exact: true }).click();
  await page.getByRole("button", { name: "Add account" }).click();
  await page.getByRole("menuitem", { name: "Invite a colleague" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite a colleague" });
  await expect(dialog.getByRole("textbox", { name: "Email" })).toBeFocused();
  await page.keyboard.type(email);
  await dialog.getByRole("radio", { name: "Viewer" }).click();
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  const sent = page.getByRole("dialog", { name: "Invitation sent" });
  await expect(sent).toContainText(email);
  expect(await clicks()).toBeLessThanOrEqual(6);
  expect(await findPageFaults(page)).toEqual([]);
  await sent.getByRole("link", { name: "Open the new account" }).click();
  await expect(page.getByRole("dialog").getByRole("textbox", { name: "Name" })).toHaveValue(email);

  const other = await anotherBrowser(browser);
  await other.goto(await linkIn(email, 1));
  await expect(other.getByRole("heading", { level: 1 })).toHaveText("Welcome to PS.Platform");
  for (const locked of ["Organization", "Street", "Street Number", "Postal Code", "City", "Country"])
    await expect(other.getByLabel(locked, { exact: true })).toHaveAttribute("readonly");
  await expect(other.getByLabel("Organization", { exact: true })).toHaveValue("Harbour Stores");
  const password = "seven geese over the quay";
  const typed = { "First Name": "Ada", "Family Name": "Byron", Password: password, "Confirm Password": password };
  for (const [label, value] of Object.entries(typed)) await other.getByLabel(label, { exact: true }).fill(value);
  for (const agreement of [/Data Processing Agreement/, /End User License Agreement/])
    await other.getByRole("checkbox", { name: agreement }).check();
  expect(await findPageFaults(other)).toEqual([]);
  await other.getByRole("button", { name: "Register" }).click();
  await expect(other.getByRole("heading", { level: 1 })).toHaveText("Please confirm your email address");
  await other.goto(await linkIn(email, 2));
  await expect(other.getByText("Harbour Stores")).toBeVisible();
  await other.getByRole("button", { name: "Confirm" }).click();
  await other.getByRole("button", { name: "To Login Page" }).click();
  await typeLogin(other, email, password);
  await expect(other).toHaveURL("/dashboard");
  await expect(other.getByRole("link", { name: /People in/ })).not.toHaveText(/^–/);
  await other.getByRole("banner").getByRole("link", { name: "Locations", exact: true }).click();
  await expect(other.getByRole("row", { name: /Harbour Stores/ }).first()).toBeVisible();
  for (const action of [/Create location/, /^(Edit|Delete) /])
    await expect(other.getByRole("button", { name: action })).toHaveCount(0);
  await other.goto(`/location/${shop}/general`);
  await expect(other.getByRole("textbox", { name: "Name" })).toHaveValue(name);
  await expect(other.getByRole("textbox", { name: "Name" })).toHaveAttribute("readonly");
  await other.goto("/account");
  await expect(other.getByText("Ada Byron").first()).toBeVisible();
  await expect(other.getByRole("treeitem", { name: /Harbour Stores/ })).toHaveCount(0);
  await other.context().close();
});
