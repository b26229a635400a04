// Tests that unsaved work survives ended sessions and reloads, and that changes can be undone.

import type { Page } from "@playwright/test";
import { expectMessage } from "./messages.ts";
import { type Api, expect, newName, newSensorId, personas, test } from "./world.ts";

const { email, password } = personas.customer;
const ended = "Your session has ended. Log in to go on.";
const restored = "Unsaved changes restored";

const bar = (page: Page) => page.getByRole("region", { name: "Unsaved changes" });
const loginAgain = (page: Page) => page.getByRole("dialog", { name: "Log in again" });

async function ownId(api: Api): Promise<string> {
  return (await api.get<{ _id: string }>("/api/auth/user"))._id;
}

async function newSensor(api: Api): Promise<string> {
  const id = newSensorId();
  await api.post("/api/sensor", { _id: id, owner: await ownId(api), type: "APS" });
  return id;
}

const groupsOf = async (api: Api, id: string) => (await api.get<{ groups: string[] }>(`/api/sensor/${id}`)).groups;

async function addGroup(page: Page, group: string): Promise<void> {
  await page.getByLabel("Groups").fill(group);
  await page.getByLabel("Groups").press("Enter");
  await expect(bar(page)).toBeVisible();
}

async function logInAgain(page: Page): Promise<void> {
  const dialog = loginAgain(page);
  await expect(dialog.getByText(ended)).toBeVisible();
  await expect(dialog.getByLabel("Email")).toHaveValue(email);
  await dialog.getByRole("textbox", { name: "Password" }).fill(password);
  await dialog.getByRole("button", { name: "Log in", exact: true }).click();
  await expect(dialog).toHaveCount(0);
}

test(
  "AU-08 SE-08 a session that ended is noticed at the save: login over the form, and the save goes on",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, provoke }) => {
    provoke(/status of 401/);
    const api = await apiAs("customer");
    const id = await newSensor(api);
    await signIn(page, "customer");
    await page.goto(`/sensor/aps/${id}/general`);
    await addGroup(page, "north");
    await page.context().clearCookies();
    await bar(page).getByRole("button", { name: "Save" }).click();
    // The login is dismissed first. The form stays, with the message that nothing was saved.
    await expect(loginAgain(page).getByText(ended)).toBeVisible();
    await loginAgain(page).getByRole("button", { name: "Close" }).click();
    await expect(page).toHaveURL(`/sensor/aps/${id}/general`);
    await expect(page.getByRole("alert").filter({ hasText: ended })).toBeVisible();
    expect(await groupsOf(api, id)).toEqual([]);
    await bar(page).getByRole("button", { name: "Save" }).click();
    await logInAgain(page);
    await expect(page.getByRole("button", { name: "Undo" })).toBeVisible();
    expect(await groupsOf(api, id)).toEqual(["north"]);
    await expect(page.getByRole("alert").filter({ hasText: ended })).toHaveCount(0);
  },
);

test(
  "AU-08 RO-04 a session that somebody ended leaves the role editor open, with what was chosen",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, provoke }) => {
    provoke(/status of 401/);
    const api = await apiAs("customer");
    const name = newName("Night watch");
    const { _id } = await api.post<{ _id: string }>("/api/role", { name, owner: await ownId(api), permissions: {} });
    await signIn(page, "customer");
    await page.goto(`/role/${_id}`);
    const dialog = page.getByRole("dialog", { name });
    await dialog.getByRole("textbox", { name: "Name" }).fill(`${name} 2`);
    // Ends the session on the server. The live channel reports this before the user saves.
    const sessions = (await (await page.request.get("/api/auth/sessions")).json()) as {
      _id: string;
      current: boolean;
    }[];
    const own = sessions.find(({ current }) => current)?._id ?? "";
    const { origin } = new URL(page.url());
    expect((await page.request.delete(`/api/auth/sessions/${own}`, { headers: { origin } })).ok()).toBe(true);
    await logInAgain(page);
    await expect(dialog.getByRole("textbox", { name: "Name" })).toHaveValue(`${name} 2`);
    // Ends the session again, but only when the save is sent, because other requests would open the login first.
    let saves = 0;
    await page.route(`**/api/role/${_id}`, async (route) => {
      if (route.request().method() === "PUT" && (saves += 1) === 1) await page.context().clearCookies();
      await route.continue();
    });
    await dialog.getByRole("button", { name: "Save" }).click();
    await logInAgain(page);
    await expect(dialog).toHaveCount(0);
    expect(saves).toBe(2);
    expect((await api.get<{ name: string }>(`/api/role/${_id}`)).name).toBe(`${name} 2`);
  },
);

test(
  "SE-08 LO-02 input survives a reload until it is discarded, saved, or the user logs out",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const id = await newSensor(api);
    await signIn(page, "customer");
    await page.goto(`/sensor/aps/${id}/general`);
    await addGroup(page, "south");
    await page.reload();
    await expect(page.getByText(restored)).toBeVisible();
    await expect(page.getByText("south", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Discard" }).click();
    await expect(page.getByText("south", { exact: true })).toHaveCount(0);
    await page.reload();
    await expect(page.getByLabel("Groups")).toBeVisible();
    await expect(page.getByText(restored)).toHaveCount(0);

    // Drafts survive leaving the page, and a logout deletes them.
    const name = newName("Corner shop");
    await page.goto("/location/new");
    await page.getByRole("textbox", { name: "Name", exact: true }).fill(name);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Sensors" }).click();
    await page.getByRole("button", { name: "Keep for later" }).click();
    await expect(page).toHaveURL(/\/sensor$/);
    await page.goto("/location/new");
    await expect(page.getByText(restored)).toBeVisible();
    await expect(page.getByRole("textbox", { name: "Name", exact: true })).toHaveValue(name);
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Logout" }).click();
    await expect(page).toHaveURL(/\/login/);
    expect(await page.evaluate(`Object.keys(sessionStorage).filter((key) => key.startsWith("psp-draft"))`)).toEqual([]);
    await signIn(page, "customer");
    await page.goto("/location/new");
    await expect(page.getByRole("textbox", { name: "Name", exact: true })).toHaveValue("");
    await expect(page.getByText(restored)).toHaveCount(0);
  },
);

test(
  "SE-08 what somebody else changed meanwhile is marked in the restored draft",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const id = await newSensor(api);
    await signIn(page, "customer");
    await page.goto(`/sensor/aps/${id}/general`);
    await addGroup(page, "mine");
    await page.goto("about:blank");
    await api.put(`/api/sensor/${id}`, { groups: ["theirs"] });
    await page.goto(`/sensor/aps/${id}/general`);
    await expect(page.getByText(restored)).toBeVisible();
    await expect(page.getByText("mine", { exact: true })).toBeVisible();
    await expect(page.getByRole("alert").filter({ hasText: "Changed by" })).toBeVisible();
  },
);

test(
  "SE-08 a single change is taken back within 10 s, and not over somebody else's",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, provoke }) => {
    provoke(/status of 412/);
    const api = await apiAs("customer");
    const id = await newSensor(api);
    await api.put(`/api/sensor/${id}`, { groups: ["before"] });
    await signIn(page, "customer");
    await page.goto(`/sensor/aps/${id}/general`);
    await addGroup(page, "after");
    await bar(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await expectMessage(page, "Change undone");
    expect(await groupsOf(api, id)).toEqual(["before"]);
    await expect(page.getByText("after", { exact: true })).toHaveCount(0);

    await addGroup(page, "again");
    await bar(page).getByRole("button", { name: "Save" }).click();
    const undo = page.getByRole("button", { name: "Undo" });
    await expect(undo).toBeVisible();
    await api.put(`/api/sensor/${id}`, { groups: ["theirs"] });
    await undo.click();
    await expect(page.getByRole("alert").filter({ hasText: "was changed again in the meantime" })).toBeVisible();
    expect(await groupsOf(api, id)).toEqual(["theirs"]);
  },
);
