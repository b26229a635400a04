// Pages that stand in: a piece of the console that can't be loaded, and addresses that don't exist (ER-04, SH-10).
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { expect, test } from "vitest";
import { openConsole } from "../testing/console.tsx";
import { renderInApp } from "../testing/render.tsx";
import { FailedPage } from "./StandIns.tsx";
import { lazyPage } from "./lazyPage.ts";

test("ER-04 a piece that can't be loaded is named, with a way to load the page again", async () => {
  const broken = lazyPage("SensorsPage", () =>
    Promise.reject(new TypeError("Failed to fetch dynamically imported module")),
  );
  const root = createRootRoute({ component: broken, errorComponent: FailedPage });
  const router = createRouter({ routeTree: root, history: createMemoryHistory() });
  const screen = await renderInApp(<RouterProvider router={router} />);
  await expect.element(screen.getByText("Loading chunk SensorsPage failed")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Reload" })).toBeVisible();
});

test("SH-10 an unknown address says so without asking for a login, and offers the way home", async () => {
  const { screen } = await openConsole("/no/such/page", { "GET /api/auth/user": { status: 401, body: {} } });
  await expect.element(screen.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await expect.element(screen.getByRole("link", { name: "Go to the home page" })).toBeVisible();
});

test("a server that can't be asked who is signed in is not taken for a sign-out", async () => {
  let up = false;
  const { screen, address } = await openConsole("/myaccount", {
    "GET /api/auth/user": () => (up ? { status: 401, body: {} } : { status: 0 }),
  });
  await expect.element(screen.getByText("No connection to server")).toBeVisible();
  expect(address()).toBe("/myaccount");
  up = true;
  await screen.getByRole("button", { name: "Try again" }).click();
  await expect.poll(address).toBe("/login?from=/myaccount");
});
