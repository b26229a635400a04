// Tests twelve everyday tasks on a phone of 360 × 740, by taps and on-screen keyboard (docs/rules/console.md#phone).

import type { Locator, Page } from "@playwright/test";
import { createLabel } from "./labels.ts";
import { type Api, expect, newName, newSensorId, personas, test } from "./world.ts";
import { expectMessage } from "./messages.ts";

const screen = { width: 360, height: 740 };
/** The area that is visible above the keyboard. */
const aboveKeys = { width: 360, height: 420 };

test.use({ viewport: screen, hasTouch: true, isMobile: true });

/** Counts presses with a mouse, because the tasks must be done by touch only. */
const watch = `globalThis.pointed = 0;
addEventListener("pointerdown", ({ pointerType }) => { if (pointerType !== "touch") globalThis.pointed += 1; }, true);`;

test.beforeEach(async ({ page }) => {
  await page.addInitScript(watch);
  await page.emulateMedia({ reducedMotion: "reduce" });
});
test.afterEach(async ({ page }) => {
  await fits(page);
  expect(await page.evaluate("globalThis.pointed"), "uses of a mouse").toBe(0);
});

async function fits(page: Page): Promise<void> {
  const width = await page.evaluate<number>("Math.max(innerWidth, document.documentElement.scrollWidth)");
  expect(width, `the width of ${page.url()}`).toBe(screen.width);
}

/** Fails if something covers the center of the target. */
async function tap(target: Locator): Promise<void> {
  await fits(target.page());
  await target.tap();
}

const covered = `(() => {
  const one = document.activeElement;
  const { left, top, width, height } = one.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  return hit !== null && (one.contains(hit) || hit.contains(one)) ? "" : String(hit?.outerHTML.slice(0, 200));
})()`;

/** While typing, the keyboard covers half of the screen, and the field must stay visible. */
async function type(field: Locator, text: string): Promise<void> {
  const page = field.page();
  // A loading form isn't editable yet.
  await expect(field).toBeEditable();
  await tap(field);
  await page.setViewportSize(aboveKeys);
  await field.press("ControlOrMeta+a");
  await page.keyboard.type(text);
  await expect(field).toBeInViewport();
  const look = () => page.evaluate<string>(covered);
  await expect.poll(look, { message: `what covers the field of "${text}"` }).toBe("");
  await page.setViewportSize(screen);
}

/** Types into a searchable select and taps the match. */
async function choose(field: Locator, text: string): Promise<void> {
  await type(field, text);
  const options = field.page().getByRole("option");
  await expect(options.filter({ hasNotText: text })).toHaveCount(0);
  await tap(options.filter({ hasText: text }).first());
}

async function goTo(page: Page, area: string): Promise<void> {
  await tap(page.getByRole("banner").getByRole("button", { name: "Menu", exact: true }));
  await tap(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: area, exact: true }));
  await expect(page.getByRole("heading", { level: 1, name: area })).toBeVisible();
}

const searchFor = (page: Page, id: string) => type(page.getByRole("textbox", { name: "Search by ID" }), id);

async function newSensors(api: Api, count: number): Promise<string[]> {
  const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
  const ids = Array.from({ length: count }, newSensorId);
  for (const _id of ids) await api.post("/api/sensor", { _id, type: "APS", owner });
  return ids;
}

async function start(page: Page, signIn: (page: Page, persona: "customer") => Promise<void>): Promise<void> {
  await signIn(page, "customer");
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

test("on the phone: log in", { tag: "@prove" }, async ({ page }) => {
  await page.goto("/login");
  await type(page.getByLabel("Email"), personas.customer.email);
  await type(page.getByRole("textbox", { name: "Password" }), personas.customer.password);
  await tap(page.getByRole("button", { name: "Login" }));
  await expect(page.getByRole("button", { name: "Account menu" })).toBeVisible();
});

test("on the phone: sign up", { tag: "@prove" }, async ({ page }) => {
  await page.goto("/login");
  await tap(page.getByRole("link", { name: "Sign up" }));
  const values = {
    "First Name": "Anne-Marie",
    "Family Name": "O'Brien",
    Department: "Store planning",
    Organization: newName("Willow"),
    "Phone Number": "+49 6172 5550",
    Street: "Louisenstraße",
    "Street Number": "7 a",
    "Postal Code": "61348",
    City: "Bad Homburg",
    Country: "Germany",
    Email: `${newName("phone").replace(" ", ".")}@example.com`,
    Supplier: "Sensor Shop Ltd., Leeds",
    Password: "seven geese over the quay",
    "Confirm Password": "seven geese over the quay",
  };
  for (const [label, value] of Object.entries(values)) await type(page.getByLabel(label, { exact: true }), value);
  for (const box of await page.getByRole("checkbox").all()) if (!(await box.isChecked())) await tap(box);
  await tap(page.getByRole("button", { name: "Register" }));
  await expect(page.getByRole("alert")).toContainText("Submission successful!");
});

test("on the phone: create a role", { tag: "@prove" }, async ({ page, signIn }) => {
  await start(page, signIn);
  await goTo(page, "Roles");
  await tap(page.getByRole("button", { name: "Create role" }));
  const dialog = page.getByRole("dialog", { name: "New Role" });
  await type(dialog.getByLabel("Name"), newName("Phone"));
  await tap(dialog.getByRole("radio", { name: "Viewer" }));
  await tap(dialog.getByRole("button", { name: "Create" }));
  await expect(dialog).toHaveCount(0);
});

test("on the phone: claim a sensor", { tag: "@prove" }, async ({ page, apiAs, signIn, baseURL }) => {
  const label = await createLabel(await apiAs("support"), baseURL);
  await start(page, signIn);
  await goTo(page, "Sensors");
  await tap(page.getByRole("button", { name: "Register Sensor" }));
  await expect(page.getByText("No camera on this device", { exact: true })).toBeVisible();
  await type(page.getByRole("textbox", { name: "Registration code" }), label.code);
  await expectMessage(page, `Registered sensor with ID "${label.id}"`);
});

test("on the phone: edit a sensor", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const api = await apiAs("customer");
  const [id = ""] = await newSensors(api, 1);
  await start(page, signIn);
  await goTo(page, "Sensors");
  await searchFor(page, id);
  await tap(page.getByRole("list", { name: "Sensors" }).getByRole("link", { name: id }));
  await expect(page.getByRole("heading", { level: 1, name: id })).toBeVisible();
  await type(page.getByLabel("Groups"), "north");
  await page.keyboard.press("Enter");
  await tap(page.getByRole("button", { name: "Save", exact: true }));
  await expect.poll(async () => (await api.get<{ groups: string[] }>(`/api/sensor/${id}`)).groups).toEqual(["north"]);
});

test("on the phone: change many sensors at once", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const api = await apiAs("customer");
  const ids = await newSensors(api, 2);
  const group = newName("pair");
  for (const id of ids) await api.put(`/api/sensor/${id}`, { groups: [group] });
  await signIn(page, "customer");
  await page.goto(`/sensor?groups=${encodeURIComponent(group)}`);
  for (const id of ids) await tap(page.getByRole("checkbox", { name: `Select ${id}` }));
  const bar = page.getByRole("toolbar", { name: "Selection" });
  await expect(bar).toContainText("2 selected");
  await tap(bar.getByRole("button", { name: "Actions" }));
  await tap(page.getByRole("menuitem", { name: "Set re-registration" }));
  const dialog = page.getByRole("dialog");
  await tap(dialog.getByRole("combobox"));
  await tap(page.getByRole("option", { name: "Disabled" }));
  await tap(dialog.getByRole("button", { name: "Save" }));
  await expect(dialog).toContainText("Successfully updated 2 sensor(s)!");
  await tap(dialog.getByRole("button", { name: "Close" }));
  await expect(dialog).toHaveCount(0);
});

test("on the phone: upload a firmware", { tag: "@prove" }, async ({ page, signIn }) => {
  await start(page, signIn);
  await goTo(page, "Firmware");
  await tap(page.getByRole("button", { name: "Create firmware" }).first());
  const dialog = page.getByRole("dialog", { name: "New Firmware" });
  const chooser = page.waitForEvent("filechooser");
  await tap(dialog.getByText("Choose file"));
  await (await chooser).setFiles({ name: "image.bin", mimeType: "text/plain", buffer: Buffer.alloc(2000, 7) });
  const version = `8.${Math.floor(Math.random() * 900)}.${Math.floor(Math.random() * 900)}`;
  await type(dialog.getByLabel("Semantic version"), version);
  await choose(dialog.getByRole("combobox", { name: "Sensor Type" }), "APS");
  await tap(dialog.getByRole("button", { name: "Create" }));
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("list", { name: "Firmware" })).toContainText(version);
});

test("on the phone: find sensors by filters", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const [id = ""] = await newSensors(await apiAs("customer"), 1);
  await start(page, signIn);
  await goTo(page, "Sensors");
  await tap(page.getByRole("button", { name: /^Filters/ }));
  const sheet = page.getByRole("dialog", { name: "Filters" });
  await tap(sheet.getByRole("combobox", { name: "Sensor Type" }));
  await tap(page.getByRole("option", { name: "APS", exact: true }));
  await tap(sheet.getByRole("combobox", { name: "Last contact" }));
  await tap(page.getByRole("option", { name: "Never" }));
  await tap(sheet.getByRole("button", { name: "Show results" }));
  await expect(page).toHaveURL(/sensorType=APS/);
  await searchFor(page, id);
  await expect(page.getByRole("list", { name: "Sensors" }).getByRole("listitem").filter({ hasText: id })).toHaveCount(
    1,
  );
});

test("on the phone: read yesterday's counts of a location", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const api = await apiAs("customer");
  const [location] = (await api.get<{ objects: { name: string }[] }>("/api/v2/measurement?limit=1")).objects;
  await start(page, signIn);
  await goTo(page, "Locations");
  await tap(
    page
      .getByRole("list", { name: "Locations" })
      .getByRole("link", { name: location?.name ?? "" })
      .first(),
  );
  await tap(page.getByRole("link", { name: "Counts", exact: true }));
  await tap(page.getByRole("combobox", { name: "Range" }));
  await tap(page.getByRole("option", { name: "Yesterday" }));
  await expect(page).toHaveURL(/range=yesterday/);
  await expect(page.getByRole("group", { name: "In", exact: true })).toBeVisible();
  await tap(page.getByRole("button", { name: "Show table" }).first());
  await expect(page.getByRole("table").first()).toBeVisible();
});

test("on the phone: assign a sensor to a location", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const api = await apiAs("customer");
  const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
  const [id = ""] = await newSensors(api, 1);
  const name = newName("Phone Shop");
  const shop = await api.post<{ _id: string }>("/api/measurement", { name, owner });
  await start(page, signIn);
  await goTo(page, "Sensors");
  await searchFor(page, id);
  await tap(page.getByRole("checkbox", { name: `Select ${id}` }));
  await tap(page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: "Actions" }));
  await tap(page.getByRole("menuitem", { name: "Set location" }));
  const dialog = page.getByRole("dialog");
  await tap(dialog.getByRole("radio", { name: "Move to …" }));
  await choose(dialog.getByRole("combobox"), name);
  await tap(dialog.getByRole("button", { name: "Save" }));
  await expect(dialog).toContainText("Successfully updated 1 sensor(s)!");
  const sensor = await api.get<{ measurement: { _id: string } }>(`/api/sensor/${id}`);
  expect(sensor.measurement._id).toBe(shop._id);
});

test("on the phone: invite a colleague", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  await start(page, signIn);
  await goTo(page, "Accounts");
  await tap(page.getByRole("button", { name: "Add account" }));
  await expect(page.getByRole("button", { name: "Add account" })).toHaveAttribute("aria-expanded", "true");
  await tap(page.getByText("Create account manually"));
  const dialog = page.getByRole("dialog", { name: "New Account" });
  const name = newName("Kiosk");
  await type(dialog.getByLabel("Name"), name);
  await choose(dialog.getByRole("combobox", { name: "Role" }), "Branch manager");
  await type(dialog.getByLabel("Email"), `${newName("invited").replace(" ", ".")}@example.com`);
  await tap(dialog.getByRole("button", { name: "Create" }));
  await expect(dialog).toHaveCount(0);
  const made = await (await apiAs("customer")).get<unknown[]>(`/api/account?name=${encodeURIComponent(name)}`);
  expect(made).toHaveLength(1);
});

test("on the phone: delete a sensor", { tag: "@prove" }, async ({ page, apiAs, signIn }) => {
  const [id = ""] = await newSensors(await apiAs("customer"), 1);
  await start(page, signIn);
  await goTo(page, "Sensors");
  await searchFor(page, id);
  await tap(page.getByRole("checkbox", { name: `Select ${id}` }));
  await tap(page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: "Actions" }));
  await tap(page.getByRole("menuitem", { name: "Delete" }));
  const dialog = page.getByRole("dialog");
  await tap(dialog.getByRole("button", { name: "Delete", exact: true }));
  await expect(dialog).toContainText("Successfully deleted");
  await tap(dialog.getByRole("button", { name: "Close" }));
  await expect(page.getByText("No sensors found", { exact: true })).toBeVisible();
});
