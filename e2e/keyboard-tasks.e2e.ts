// Tests thirteen everyday tasks by keyboard only.

import { type Locator, type Page } from "@playwright/test";
import { findSensorWithIssues } from "./issues.ts";
import { createLabel } from "./labels.ts";
import { expect, newName, newSensorId, personas, test } from "./world.ts";
import { expectMessage } from "./messages.ts";

const watch = `globalThis.pointed = 0; for (const kind of ["pointerdown", "mousedown", "touchstart"])
  addEventListener(kind, () => { globalThis.pointed += 1; }, { capture: true });`;

test.beforeEach(({ page }) => page.addInitScript(watch));
test.afterEach(async ({ page }) => expect(await page.evaluate("globalThis.pointed"), "uses of a mouse").toBe(0));

const hasFocus = async (page: Page, target: Locator) => (await target.and(page.locator(":focus")).count()) > 0;

/** Presses Tab until `target` has the focus, at most 60 times. */
async function reach(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await target.waitFor();
  // Waits, because disabled elements are not in the tab order.
  await expect(target).toBeEnabled();
  for (let step = 0; step < 60; step += 1) {
    if (await hasFocus(page, target)) return;
    await page.keyboard.press(key);
  }
  const where = await page.locator(":focus").evaluateAll(([one]) => one?.outerHTML.slice(0, 200));
  throw new Error(`60 times ${key} do not lead to ${String(target)}; the focus is at ${String(where)}`);
}

async function press(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await reach(page, target);
  await page.keyboard.press(key);
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await reach(page, target);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(text);
}

/** Types into a searchable select and picks the first match. */
async function choose(page: Page, field: Locator, text: string): Promise<void> {
  await type(page, field, text);
  const options = page.getByRole("option");
  await options.filter({ hasText: text }).first().waitFor();
  await expect(options.filter({ hasNotText: text })).toHaveCount(0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
}

async function open(page: Page, words: string, option: string | RegExp): Promise<void> {
  await expect(page.getByRole("button", { name: "Account menu" })).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  const field = page.getByRole("dialog").getByRole("combobox");
  await field.waitFor();
  await page.keyboard.type(words);
  const wanted = page.getByRole("option", { name: option }).first();
  await wanted.waitFor();
  const isCurrent = async () =>
    (await field.getAttribute("aria-activedescendant")) === (await wanted.getAttribute("id"));
  for (let step = 0; step < 20 && !(await isCurrent()); step += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(field).toHaveCount(0);
}

async function sensorsOf(api: { post: <T>(path: string, body: unknown) => Promise<T> }, owner: string, count: number) {
  const ids = Array.from({ length: count }, () => newSensorId());
  for (const _id of ids) await api.post("/api/sensor", { _id, type: "APS", owner });
  return ids;
}

test("by keyboard: log in", { tag: "@prove" }, async ({ page }) => {
  await page.goto("/login");
  await type(page, page.getByLabel("Email"), personas.customer.email);
  await type(page, page.getByRole("textbox", { name: "Password" }), personas.customer.password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Account menu" })).toBeVisible();
});

test("by keyboard: sign up, and have it reviewed", { tag: "@prove" }, async ({ page, signIn }) => {
  const organization = newName("Willow");
  await page.goto("/login");
  await press(page, page.getByRole("link", { name: "Sign up" }));
  await expect(page).toHaveURL("/sign-up");
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const values = {
    "First Name": "Anne-Marie",
    "Family Name": "O'Brien",
    Department: "Store planning",
    Organization: organization,
    "Phone Number": "+49 6172 5550",
    Street: "Louisenstraße",
    "Street Number": "7 a",
    "Postal Code": "61348",
    City: "Bad Homburg",
    Country: "Germany",
    Email: `${newName("keys").replace(" ", ".")}@example.com`,
    Supplier: "Sensor Shop Ltd., Leeds",
    Password: "seven geese over the quay",
    "Confirm Password": "seven geese over the quay",
  };
  for (const [label, value] of Object.entries(values)) await type(page, field(label), value);
  for (const box of await page.getByRole("checkbox").all()) {
    if (!(await box.isChecked())) await press(page, box, "Space");
  }
  await press(page, page.getByRole("button", { name: "Register" }));
  await expect(page.getByRole("alert")).toContainText("Submission successful!");
  await signIn(page, "support");
  await page.goto("/account");
  const list = page.getByRole("region", { name: "Accounts awaiting review" });
  await press(page, list.getByRole("button", { name: `Review ${organization}` }));
  const dialog = page.getByRole("dialog", { name: "Review account" });
  await choose(page, dialog.getByRole("combobox", { name: "Parent Account" }), personas.operator.account);
  await choose(page, dialog.getByRole("combobox", { name: "Role" }), "Customer admin");
  await press(page, dialog.getByRole("button", { name: "Accept" }));
  await expect(dialog).toHaveCount(0);
});

test("by keyboard: create a role", { tag: "@prove" }, async ({ page, signIn }) => {
  await signIn(page, "customer");
  await page.goto("/role");
  await press(page, page.getByRole("button", { name: "Create role" }));
  const dialog = page.getByRole("dialog", { name: "New Role" });
  const name = newName("Keys");
  await type(page, dialog.getByLabel("Name"), name);
  const owner = dialog.getByRole("combobox", { name: "Owner" });
  if ((await owner.inputValue()) === "") await choose(page, owner, "Harbour Stores");
  await press(page, dialog.getByRole("button", { name: "Create" }));
  await expect(dialog).toHaveCount(0);
});

test("by keyboard: claim a sensor", async ({ page, apiAs, signIn, baseURL }) => {
  const label = await createLabel(await apiAs("support"), baseURL);
  await signIn(page, "customer");
  await page.goto("/sensor");
  await press(page, page.getByRole("button", { name: "Register Sensor" }));
  const field = page.getByRole("textbox", { name: "Registration code" });
  if (!(await field.isVisible())) {
    await reach(page, page.getByRole("button", { name: "Scan", exact: true }));
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
  }
  await reach(page, field);
  await page.keyboard.type(label.code);
  await expectMessage(page, `Registered sensor with ID "${label.id}"`);
});

test("by keyboard: edit a sensor", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const api = await apiAs("customer");
  const me = await api.get<{ _id: string }>("/api/auth/user");
  const [id = ""] = await sensorsOf(api, me._id, 1);
  await signIn(page, "customer");
  await page.goto("/sensor");
  await open(page, id, id);
  const groups = page.getByLabel("Groups");
  await type(page, groups, "north");
  await page.keyboard.press("Enter");
  await press(page, page.getByRole("button", { name: "Save", exact: true }));
  await expect.poll(async () => (await api.get<{ groups: string[] }>(`/api/sensor/${id}`)).groups).toEqual(["north"]);
});

test("by keyboard: change many sensors at once", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const api = await apiAs("customer");
  const me = await api.get<{ _id: string }>("/api/auth/user");
  const ids = await sensorsOf(api, me._id, 2);
  const group = newName("pair");
  for (const id of ids) await api.put(`/api/sensor/${id}`, { groups: [group] });
  await signIn(page, "customer");
  await page.goto(`/sensor?groups=${encodeURIComponent(group)}`);
  await press(page, page.getByRole("checkbox", { name: "Select page" }), "Space");
  const bar = page.getByRole("toolbar", { name: "Selection" });
  await press(page, bar.getByRole("button", { name: "Set re-registration" }));
  const dialog = page.getByRole("dialog");
  await press(page, dialog.getByRole("combobox"));
  await page.getByRole("option", { name: "Enabled" }).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await press(page, dialog.getByRole("button", { name: "Save" }));
  await expect(dialog).toContainText("Successfully updated 2 sensor(s)!");
});

test("by keyboard: upload a firmware", { tag: "@prove" }, async ({ page, signIn }) => {
  await signIn(page, "customer");
  await page.goto("/firmware");
  await press(page, page.getByRole("button", { name: "Create firmware" }).first());
  const dialog = page.getByRole("dialog", { name: "New Firmware" });
  const chooser = page.waitForEvent("filechooser");
  const file = dialog.getByLabel("File");
  await reach(page, (await file.count()) === 1 ? file : file.first());
  await page.keyboard.press("Enter");
  await (await chooser).setFiles({ name: "image.bin", mimeType: "text/plain", buffer: Buffer.alloc(2000, 7) });
  const version = `7.${Math.floor(Math.random() * 900)}.${Math.floor(Math.random() * 900)}`;
  await type(page, dialog.getByLabel("Semantic version"), version);
  await choose(page, dialog.getByRole("combobox", { name: "Sensor Type" }), "APS");
  const owner = dialog.getByRole("combobox", { name: "Owner" });
  if ((await owner.inputValue()) === "") await choose(page, owner, "Harbour Stores");
  await press(page, dialog.getByRole("button", { name: "Create" }));
  await expect(dialog).toHaveCount(0);
});

test("by keyboard: find a sensor by filters", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const api = await apiAs("customer");
  const me = await api.get<{ _id: string }>("/api/auth/user");
  const [id = ""] = await sensorsOf(api, me._id, 1);
  await signIn(page, "customer");
  await page.goto("/sensor");
  await expect(page.getByLabel("Search by ID")).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type(id.toLowerCase());
  await expect(page.getByRole("table", { name: "Sensors" }).getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("table", { name: "Sensors" })).toContainText(id);
});

test("by keyboard: read yesterday's counts of a location", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const api = await apiAs("customer");
  const [location] = (await api.get<{ objects: { name: string }[] }>("/api/v2/measurement?limit=1")).objects;
  await signIn(page, "customer");
  await page.goto("/sensor");
  await open(page, location?.name ?? "", location?.name ?? "");
  await press(page, page.getByRole("link", { name: "Counts", exact: true }));
  await expect(page).toHaveURL(/\/counts/);
  await press(page, page.getByRole("button", { name: "Previous", exact: true }));
  await expect(page).toHaveURL(/range=yesterday/);
  await expect(page.getByRole("group", { name: "In", exact: true })).toBeVisible();
});

test("by keyboard: create a location by its address", { tag: "@prove" }, async ({ page, signIn }) => {
  await signIn(page, "customer");
  await page.goto("/location");
  await press(page, page.getByRole("button", { name: "Create location" }));
  await type(page, page.getByRole("textbox", { name: "Name", exact: true }), newName("Keys"));
  await type(page, page.getByRole("combobox", { name: "Address", exact: true }), "Kathmandu");
  await page
    .getByRole("option", { name: /Kathmandu.*Nepal/ })
    .first()
    .waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("definition").filter({ hasText: "Asia/Kathmandu" })).toBeVisible();
  await press(page, page.getByRole("button", { name: "Create", exact: true }));
  await expect(page).toHaveURL(/\/location\/[\da-f-]{36}\/general$/);
});

test("by keyboard: switch the monitoring of a location on", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const [api, support] = [await apiAs("customer"), await apiAs("support")];
  const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
  const place = await api.post<{ _id: string }>("/api/measurement", { name: newName("Watched"), owner });
  const sensor = newSensorId();
  await api.post("/api/sensor", { _id: sensor, type: "APS", owner });
  await support.put(`/api/sensor/${sensor}/licenses`, { monitoring: true });
  await api.put(`/api/sensor/${sensor}`, { measID: place._id });
  await signIn(page, "customer");
  await page.goto(`/location/${place._id}/monitoring`);
  await press(page, page.getByRole("switch", { name: "Monitoring", exact: true }), " ");
  const reboot = page.getByRole("group", { name: "Reboot" });
  await type(page, reboot.getByRole("textbox", { name: "Error threshold" }), "9");
  await press(page, page.getByRole("button", { name: "Save", exact: true }));
  await expectMessage(page, "Saved");
  const { monitoringConfig } = await api.get<{ monitoringConfig: unknown }>(`/api/measurement/${place._id}`);
  expect(monitoringConfig).toMatchObject({ reboot: { enabled: true, errorThreshold: 9 } });
});

test("by keyboard: acknowledge an issue", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const { sens, measurement } = await findSensorWithIssues(await apiAs("customer"));
  await signIn(page, "customer");
  await page.goto(
    `/location/${measurement._id}/issues?sensorIDs=${sens}&acknowledged=false&issueStatus=Error&issueStatus=Warning`,
  );
  const row = page.getByRole("row", { name: new RegExp(sens) }).first();
  await press(page, row);
  const dialog = page.getByRole("dialog", { name: new RegExp(sens) });
  await press(page, dialog.getByRole("button", { name: "Set acknowledged" }));
  await expect(dialog.getByText(/^By .* at /)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

test("by keyboard: delete a sensor", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const api = await apiAs("customer");
  const me = await api.get<{ _id: string }>("/api/auth/user");
  const [id = ""] = await sensorsOf(api, me._id, 1);
  await signIn(page, "customer");
  await page.goto(`/sensor?sensorID=${encodeURIComponent(id)}`);
  await press(page, page.getByRole("checkbox", { name: `Select ${id}` }), "Space");
  const bar = page.getByRole("toolbar", { name: "Selection" });
  await press(page, bar.getByRole("button", { name: "Delete", exact: true }));
  const dialog = page.getByRole("dialog");
  await press(page, dialog.getByRole("button", { name: "Delete", exact: true }));
  await expect(dialog).toContainText("Successfully deleted");
  await press(page, dialog.getByRole("button", { name: "Close" }));
  await expect(page.getByText("No sensors found", { exact: true })).toBeVisible();
});
