// Tests what users see if a request is refused or fails, or if the server is unreachable (ER-01, ER-02). Starts its own server.

import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "@playwright/test";
import { type TestServer, startTestServer } from "./product.ts";
import { expect, newName, test, typeLogin } from "./world.ts";

const admin = { email: "admin@example.com", password: "violet-harbour-lantern" };
let product: TestServer;

test.beforeAll(async () => {
  product = await startTestServer("e2e-refusals", {
    DEMO: "off",
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    LOG_LEVEL: "silent",
  });
});
test.afterAll(() => product.stop());

async function open(page: Page, address: string) {
  await page.goto(product.baseUrl + address);
  await typeLogin(page, admin.email, admin.password);
}
const toast = (page: Page, title: string) => page.getByRole("alert").filter({ hasText: title });

test(
  "ER-02 PE-02 a taken name (409) shows title and server message until closed",
  { tag: "@prove" },
  async ({ page, provoke }) => {
    provoke(/status of 409 .*\/api\/role$/);
    await open(page, "/role/new");
    const dialog = page.getByRole("dialog", { name: "New Role" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Administrator");
    await dialog.getByRole("button", { name: "Create" }).click();
    const used = toast(page, "Failed to create new role.");
    await expect(used).toContainText("Name is already used.");
    await dialog.getByRole("textbox", { name: "Name" }).fill(newName("Another"));
    await dialog.getByRole("button", { name: "Create" }).click();
    // A new role is opened for editing.
    await expect(page).toHaveURL(/\/role\/[\da-f-]{36}$/);
    await expect(used).toBeVisible();
    await used.getByRole("button", { name: "Close" }).click();
    await expect(used).toHaveCount(0);

    await page.goto(`${product.baseUrl}/myaccount`);
    const close = page.getByText("Close your account");
    await expect(close).toHaveAttribute("aria-disabled", "true");
    await expect(close).toHaveAttribute("aria-description", "The root account can't be deleted");
  },
);

test(
  "ER-01 ER-02 a server without its secret (500) and a lost network are reported and recoverable",
  { tag: "@prove" },
  async ({ page, context, provoke }) => {
    provoke(/status of 500 .*\/api\/init_token/);
    provoke(/net::ERR_INTERNET_DISCONNECTED/);
    // A request that is pending when the server dies fails with a different error than a later request.
    provoke(/net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)/);
    await open(page, "/init-token/new");
    const name = newName("Roll-out");
    const made = page.getByRole("dialog", { name: "New Init Token" });
    await made.getByRole("textbox", { name: "Name" }).fill(name);
    await context.setOffline(true);
    await made.getByRole("button", { name: "Create" }).click();
    const unreachable = toast(page, "Failed to create new sensor token.");
    await expect(unreachable).toContainText("No connection to server.");
    await unreachable.getByRole("button", { name: "Close" }).click();
    await context.setOffline(false);
    await made.getByRole("button", { name: "Create" }).click();
    await page.getByRole("row", { name: new RegExp(name) }).click();
    const edit = page.getByRole("dialog", { name });
    await edit.getByRole("textbox", { name: "Name" }).fill(`${name} 2`);

    // Simulates a database that was restored without its secrets.
    await product.kill();
    // Sends a request, because the page may not notice by itself that the server is down.
    await page.evaluate("fetch('/health').catch(() => null)");
    await writeFile(path.join(product.dataDir, "secrets", "session_secret"), randomBytes(32).toString("hex"));
    await product.start();
    await edit.getByRole("button", { name: "Save" }).click();
    const broken = toast(page, "Failed to update sensor token.");
    await expect(broken).toContainText("An internal server error occured.");
    await expect(edit.getByRole("textbox", { name: "Name" })).toHaveValue(`${name} 2`);
  },
);
