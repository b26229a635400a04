// Presses in the header while the session loads.
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { createServerStub, sensorWith } from "../sensor/sensor.testing.ts";
import { notFound, openConsole, type StubbedResponse } from "../testing/console.tsx";

const answers = createServerStub(sensorWith());
const user = answers["GET /api/auth/user"] as StubbedResponse;

/** Opens the console, and returns a function that lets the session load. */
async function openWhileLoading() {
  const session = Promise.withResolvers<StubbedResponse>();
  await openConsole("/impressum", { ...answers, "GET /api/auth/user": () => session.promise });
  return async () => {
    session.resolve(user);
    await expect.element(page.getByRole("button", { name: "Account menu", includeHidden: true })).toBeVisible();
  };
}

test("SH-03 applications opened while the session loads stay open, and the focus returns to their button", async () => {
  const load = await openWhileLoading();
  const apps = page.getByRole("button", { name: "Apps" });
  await apps.click();
  await load();
  await expect.element(page.getByRole("dialog", { name: "Applications" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("dialog", { name: "Applications" })).not.toBeInTheDocument();
  await expect.element(apps).toHaveFocus();
});

test("SH-03 a press that begins while the session loads is not lost", async () => {
  const load = await openWhileLoading();
  const elements = ["Apps", "PS.Platform"].map((name) => [name, findNamed(name)] as const);
  await load();
  for (const [name, element] of elements) expect(findNamed(name), name).toBe(element);
});

test("SH-05 SH-07 the phone's menu stays open when the first page redirects to the home page", async () => {
  await page.viewport(360, 740);
  const stats = Promise.withResolvers<StubbedResponse>();
  const { address } = await openConsole("/", { ...answers, "GET /api/v2/sensor/stats": () => stats.promise });
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  await menu.click();
  stats.resolve(notFound);
  await expect.poll(address).toBe("/location");
  await expect.element(menu).toHaveAttribute("aria-expanded", "true");
});

function findNamed(name: string): Element {
  return page
    .getByRole("banner")
    .getByRole(name === "Apps" ? "button" : "link", { name })
    .element();
}
