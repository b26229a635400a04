// Tests the console while the server dies and comes back. Starts a separate server for this.

import { type TestServer, startTestServer } from "./product.ts";
import { anotherBrowser, expect, newName, test, typeLogin } from "./world.ts";

const admin = { email: "admin@example.com", password: "violet-harbour-lantern" };
let product: TestServer;

test.beforeAll(async () => {
  product = await startTestServer("e2e-connection", {
    DEMO: "off",
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    LOG_LEVEL: "warn",
  });
});
test.afterAll(() => product.stop());

test("SH-02 AU-03 a lost connection shows a red bar, then fresh values; sign-in times out", async ({
  page,
  browser,
  provoke,
}) => {
  // A request that is pending when the server dies fails with a different error than a later request. While the database starts,
  // the server responds 503.
  provoke(/net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)|status of 503/);
  await page.goto(`${product.baseUrl}/location`);
  await typeLogin(page, admin.email, admin.password);
  await expect(page.getByText("No locations existing")).toBeVisible();
  const bar = page.getByRole("alert").filter({ hasText: "No connection to server" });
  await expect(bar).toHaveCount(0);

  const stranger = await anotherBrowser(browser);
  await stranger.goto(`${product.baseUrl}/login`);
  await expect(stranger.getByLabel("Email")).toBeVisible();
  const tried = page.waitForEvent(
    "requestfailed",
    (request) => request.failure()?.errorText === "net::ERR_CONNECTION_REFUSED",
  );
  await product.kill();
  await expect(bar).toBeVisible();
  await typeLogin(stranger, admin.email, admin.password);
  await expect(stranger.getByRole("alert")).toHaveText("Login request timed out");

  // Waits until at least one reconnect attempt has failed.
  await tried;
  await product.start();
  // This location is created while the page is reconnecting. The page must show it nevertheless.
  const name = newName("Born in the dark");
  const login = (await (
    await stranger.request.post(`${product.baseUrl}/api/auth/login`, {
      data: admin,
      headers: { origin: product.baseUrl },
    })
  ).json()) as { token: string; user: { _id: string } };
  await stranger.request.post(`${product.baseUrl}/api/measurement`, {
    data: { name, owner: login.user._id },
    headers: { authorization: `Bearer ${login.token}` },
  });
  await expect(bar).toHaveCount(0);
  await expect(page.getByRole("table", { name: "Locations" })).toContainText(name);
  await stranger.context().close();
});

test(
  "SH-02 SE-12 without a connection, values show their age, and failed saves keep the input",
  { tag: "@prove" },
  async ({ page, provoke }) => {
    provoke(/net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)/);
    const login = await page.request.post(`${product.baseUrl}/api/auth/login`, {
      data: admin,
      headers: { origin: product.baseUrl },
    });
    const { token, user } = (await login.json()) as { token: string; user: { _id: string } };
    const headers = { authorization: `Bearer ${token}` };
    const sensor = "02:00:00:00:C0:25";
    const post = (path: string, data: object) => page.request.post(product.baseUrl + path, { data, headers });
    expect((await post("/api/sensor", { _id: sensor, owner: user._id, type: "APS" })).status()).toBe(200);
    const { _id: location } = (await (
      await post("/api/measurement", { name: newName("Harbour"), owner: user._id })
    ).json()) as { _id: string };

    await page.goto(`${product.baseUrl}/location/${location}/general`);
    await page.evaluate("window.loadedOnce = true");
    const name = page.getByLabel("Name", { exact: true });
    const typed = newName("Typed without a net");
    await name.fill(typed);
    const sum = page.getByRole("region", { name: "Today" }).getByRole("definition").first();
    await expect(sum).toHaveText(/^[–\d]/);
    await expect(sum.locator("[data-live]")).toHaveCSS("font-style", "normal");

    const list = await page.context().newPage();
    await list.goto(`${product.baseUrl}/sensor`);
    await expect(list.getByRole("row", { name: sensor })).toContainText("Never connected");
    await page.waitForLoadState("networkidle");
    const clock = () => page.evaluate<string>("new Date().toTimeString().slice(0, 5)");
    const before = await clock();
    await product.kill();
    const bar = page.getByRole("alert").filter({ hasText: /^No connection to server.*as of/ });
    await expect(bar).toBeVisible();
    const after = await clock();
    const said = /You are seeing data from (\d\d:\d\d)\. Trying to reconnect every few seconds\./.exec(
      (await bar.textContent()) ?? "",
    );
    expect([before, after]).toContain(said?.[1]);
    const asOf = `as of ${said?.[1]}`;
    // Stale values are marked by color, font style, a line, and their time. Screen readers announce the time.
    const shown = sum.locator("[data-live]");
    await expect(shown).toHaveCSS("font-style", "italic");
    expect(await page.getByRole("main").ariaSnapshot()).toContain(asOf);
    const state = list.getByRole("row", { name: sensor }).getByRole("cell").filter({ hasText: "Never connected" });
    await expect(state.locator("[data-live]")).toHaveCSS("font-style", "italic");
    expect(await state.ariaSnapshot()).toContain(asOf);

    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "Failed to update location." })).toBeVisible();
    await expect(name).toHaveValue(typed);

    await page.setViewportSize({ width: 390, height: 844 });
    await expect(bar).toContainText(asOf);
    await page.setViewportSize({ width: 1280, height: 800 });

    // Delays the reconnect until something has changed.
    const changed = Promise.withResolvers<void>();
    await page.route("**/api/auth/ticket", (route) => changed.promise.then(() => route.continue()));
    await product.start();
    const put = await page.request.put(`${product.baseUrl}/api/sensor/${sensor}`, {
      data: { measID: location },
      headers,
    });
    expect(put.status()).toBe(200);
    changed.resolve();
    await expect(bar).toHaveCount(0);
    await expect(page.getByRole("link", { name: sensor })).toBeVisible();
    await expect(shown).toHaveCSS("font-style", "normal");
    expect(await page.getByRole("main").ariaSnapshot()).not.toContain(asOf);
    expect(await page.evaluate("window.loadedOnce")).toBe(true);
    await expect(name).toHaveValue(typed);
    await page.getByRole("button", { name: "Save" }).click();
    const saved = async () =>
      (
        (await (await page.request.get(`${product.baseUrl}/api/measurement/${location}`, { headers })).json()) as {
          name: string;
        }
      ).name;
    await expect.poll(saved).toBe(typed);
  },
);
