// What people see when the server goes away and comes back; against a product of this test's own, which really dies.

import { type Product, startProduct } from "./product.ts";
import { anotherBrowser, expect, newName, test, typeLogin } from "./world.ts";

const admin = { email: "admin@example.com", password: "violet-harbour-lantern" };
let product: Product;

test.beforeAll(async () => {
  product = await startProduct("e2e-connection", {
    DEMO: "off",
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    LOG_LEVEL: "warn",
  });
});
test.afterAll(() => product.stop());

test("SH-02 AU-03 a red bar while the connection is down, fresh values after it; signing in meanwhile times out", async ({
  page,
  browser,
  provoke,
}) => {
  // What is under way when the server dies ends otherwise than what comes after it.
  provoke(/net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)/);
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

  // It has knocked in vain at least once, however quickly the server is back.
  await tried;
  await product.start();
  // Made while the page was still waiting to reconnect, or just after: it must show either way.
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
  await expect(bar).toHaveCount(0, { timeout: 10_000 });
  await expect(page.getByRole("table", { name: "Locations" })).toContainText(name);
  await stranger.context().close();
});

test(
  "SH-02 SE-12 without a connection values say of when they are, to eyes and ears; saving fails and keeps what was typed; then all is current",
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
    // The map takes its time.
    await page.waitForLoadState("networkidle");
    const clock = () => page.evaluate<string>("new Date().toTimeString().slice(0, 5)");
    const before = await clock();
    await product.kill();
    const bar = page.getByRole("alert").filter({ hasText: /^No connection to server.*as of/ });
    await expect(bar).toBeVisible();
    const after = await clock();
    const said = /What you see is as of (\d\d:\d\d)\. Trying again every few seconds\./.exec(
      (await bar.textContent()) ?? "",
    );
    expect([before, after]).toContain(said?.[1]);
    const asOf = `as of ${said?.[1]}`;
    // Not by color alone: another face, a line below, and the time itself, which is read aloud as well.
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

    // It comes back only when something has changed without it.
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
    // What was typed is still there, and can be saved now.
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
