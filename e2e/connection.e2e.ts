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
  await expect(bar).toBeVisible({ timeout: 2000 });
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
