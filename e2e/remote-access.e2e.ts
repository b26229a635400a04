// A sensor's own page through PS.Connect, as a person opens, uses and loses it (PC-01, T-17).
import type { BrowserContext, Page } from "@playwright/test";
import { type Api, expect, newName, newSensorId, type Simulate, test } from "./world.ts";

/** A simulated APS of the customer that holds a tunnel. */
async function pagedSensor(api: Api, simulate: Simulate): Promise<string> {
  const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
  const { token } = await api.post<{ token: string }>("/api/init_token", { name: newName("remote"), owner });
  const id = newSensorId();
  simulate("one", "--id", id, "--type", "APS", "--token", token);
  const status = async () => {
    const path = `/api/sensor/${id}`;
    if ((await api.status(path)) !== 200) return null;
    return (await api.get<{ psconnect: { connectionStatus: string } | null }>(path)).psconnect?.connectionStatus;
  };
  await expect.poll(status, { timeout: 60_000 }).toBe("connected");
  return id;
}

/** Opens the page from the console, and returns its window. */
async function openPage(page: Page, context: BrowserContext): Promise<Page> {
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: "Open configuration page" }).click();
  const window = await opened;
  await expect(window.getByText("Connected", { exact: true })).toBeVisible();
  return window;
}

const sessions = (page: Page) => page.getByRole("region", { name: "Sessions on the configuration page" });

test("PC-01 SE-05 SE-10 a technician opens a sensor's page with auto-login, changes it, and everybody sees who did what", async ({
  page,
  context,
  baseURL,
  apiAs,
  signIn,
  simulate,
}) => {
  const id = await pagedSensor(await apiAs("customer"), simulate);
  await signIn(page, "customer");
  await page.goto(`/sensor/aps/${id}/firmware`);
  await expect(page.getByText("Connected to PS.Connect")).toBeVisible();
  await page.getByRole("textbox", { name: "Reason" }).fill("The lens was cleaned");
  const window = await openPage(page, context);
  const label = id.replaceAll(":", "").toLowerCase();
  // Another host, an address without the token, and no way back.
  expect(window.url()).toBe(`http://${label}.devices.localhost:${new URL(baseURL ?? "").port}/`);
  expect(await window.evaluate("opener === null")).toBe(true);
  await expect(window.getByText("user-role-edit")).toBeVisible();
  await expect(window.getByText(id)).toBeVisible();
  // The console's cookie stays with the console.
  const cookies = await context.cookies(window.url());
  expect(cookies.map(({ name }) => name)).toEqual(["psp_remote"]);
  await window.getByLabel("Device name").fill("Main entrance");
  await window.getByRole("button", { name: "Save" }).click();
  await expect(window.getByText("Saved")).toBeVisible();

  const row = sessions(page).getByRole("listitem");
  await expect(row).toContainText("Harbour Stores");
  await expect(row).toContainText("The lens was cleaned");
  await expect(row).toContainText("Can change settings");
  const closed = window.getByText("This session has ended");
  await row.getByRole("button", { name: "End now" }).click();
  await expect(closed).toBeVisible({ timeout: 2000 });
  await expect(sessions(page).getByText("No one has the page open.")).toBeVisible();
  await window.reload();
  await expect(window.getByRole("heading", { name: "This page is not open for you" })).toBeVisible();

  await page.goto(`/sensor/aps/${id}/history`);
  const entry = page.getByRole("listitem").filter({ hasText: "Configuration page closed" });
  await expect(entry).toContainText("PUT /settings");
  await expect(page.getByRole("listitem").filter({ hasText: "Configuration page opened" })).toContainText(
    "The lens was cleaned",
  );
});

test("PC-01 who may only look gets a page that takes no change, and loses it with the right to look", async ({
  page,
  context,
  apiAs,
  signIn,
  simulate,
}) => {
  const customer = await apiAs("customer");
  const id = await pagedSensor(customer, simulate);
  await signIn(page, "readonly");
  await page.goto(`/sensor/aps/${id}/firmware`);
  await expect(page.getByText("its page opens read-only")).toBeVisible();
  const window = await openPage(page, context);
  await expect(window.getByText("user-role-view")).toBeVisible();
  // Not the page alone refuses: so does the proxy.
  const refused = await window.evaluate(async () => {
    const reply = await fetch("/settings", { method: "PUT", body: "{}" });
    return { status: reply.status, text: await reply.text() };
  });
  expect(refused.status).toBe(403);
  expect(refused.text).toContain("Nothing was sent to the sensor");
  await expect(sessions(page).getByRole("listitem")).toContainText("Read-only");
  await customer.remove(`/api/sensor/${id}`);
  await expect(window.getByText("This session has ended")).toBeVisible({ timeout: 2000 });
});
