// Tests the console with the printed logins at the printed URL, at other host names of the machine, and at a foreign URL.

import { parsePrintedUrl, parsePrintedLogins } from "./printed.ts";
import { startTestServer } from "./product.ts";
import { anotherBrowser, expect, newName, personas, test, typeLogin } from "./world.ts";

const { email, password } = personas.customer;

test(
  "AU-01 every login that the start prints opens the console at the address that it prints",
  { tag: "@prove" },
  async ({ page, browser }) => {
    const printed = process.env["E2E_PRINTED"] ?? "";
    const address = parsePrintedUrl(printed) ?? "";
    const logins = parsePrintedLogins(printed);
    // The output must list the initial login of the root account, followed by the personas.
    const people = Object.values(personas).map((one) => one.email);
    expect(logins.map((one) => one.email)).toEqual(["admin@example.com", ...people]);
    for (const [index, login] of logins.entries()) {
      const person = index === 0 ? page : await anotherBrowser(browser);
      await person.goto(address);
      await typeLogin(person, login.email, login.password);
      await expect(person.getByRole("button", { name: "Account menu" }), login.email).toBeVisible();
      await expect(person.getByRole("alert"), login.email).toHaveCount(0);
      if (person !== page) await person.context().close();
    }
  },
);

test(
  "AU-01 LI-01 without a PUBLIC_URL 127.0.0.1 is as good as localhost: changes go out, and arrive live",
  { tag: "@prove" },
  async ({ page, browser, baseURL }) => {
    const byName = new URL(baseURL ?? "").origin;
    expect(byName).toMatch(/^http:\/\/localhost:\d+$/);
    const byNumber = byName.replace("localhost", "127.0.0.1");
    const watcher = await anotherBrowser(browser);
    for (const [person, base] of [
      [page, byNumber],
      [watcher, byName],
    ] as const) {
      await person.goto(`${base}/role`);
      await typeLogin(person, email, password);
      await expect(person.getByRole("button", { name: "Create role" })).toBeVisible();
    }
    const seen = async (name: string) => {
      for (const person of [page, watcher]) await expect(person.getByRole("cell", { name, exact: true })).toBeVisible();
    };
    for (const [person, name] of [
      [page, newName("By number")],
      [watcher, newName("By name")],
    ] as const) {
      await person.getByRole("button", { name: "Create role" }).click();
      const dialog = person.getByRole("dialog", { name: "New Role" });
      await dialog.getByLabel("Name").fill(name);
      await dialog.getByRole("button", { name: "Create" }).click();
      await person.getByRole("dialog", { name }).getByRole("button", { name: "Cancel" }).click();
      await seen(name);
    }
    await watcher.context().close();
  },
);

test(
  "AU-03 at an address that is not its own the login form says which one is, and leads there",
  { tag: "@prove" },
  async ({ page, provoke }) => {
    const product = await startTestServer("e2e-own-address", {
      DEMO: "off",
      HOST: "127.0.0.1",
      PUBLIC_URL: "https://console.example.com",
      ADMIN_PASSWORD: password,
      LOG_LEVEL: "warn",
    });
    try {
      expect(product.baseUrl).toBe("https://console.example.com");
      provoke(/status of 403 .*\/api\/auth\/login$/);
      await page.goto(`http://localhost:${product.port}/role`);
      await typeLogin(page, "admin@example.com", password);
      const alert = page.getByRole("alert");
      await expect(alert).toHaveText("This console is set up for https://console.example.com. Open it there.");
      await expect(alert.getByRole("link")).toHaveAttribute(
        "href",
        /^https:\/\/console\.example\.com\/login\?from=.*role$/,
      );
      await expect(page.getByRole("button", { name: "Login" })).toBeEnabled();
    } finally {
      await product.stop();
    }
  },
);
