// Tests the pages for unknown URLs and for chunks that fail to load (ER-04, SH-10).
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { expect, test } from "vitest";
import { openConsole } from "../testing/console.tsx";
import { renderInApp } from "../testing/render.tsx";
import { FailedPage, LoadingPage } from "./FallbackPages.tsx";
import { lazyPage } from "./lazyPage.ts";

test("ER-04 a chunk that can't be loaded is named, with a way to load the page again", async () => {
  const broken = lazyPage("SensorsPage", () =>
    Promise.reject(new TypeError("Failed to fetch dynamically imported module")),
  );
  const root = createRootRoute({ component: broken, errorComponent: FailedPage });
  const router = createRouter({ routeTree: root, history: createMemoryHistory() });
  const screen = await renderInApp(<RouterProvider router={router} />);
  await expect.element(screen.getByText("Loading chunk SensorsPage failed")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Reload" })).toBeVisible();
});

function pageWithDialog(load: () => Promise<never>) {
  const root = createRootRoute({
    component: () => (
      <>
        <h1>Sensors</h1>
        <Outlet />
      </>
    ),
  });
  const dialog = createRoute({
    getParentRoute: () => root,
    path: "/delete",
    staticData: { dialog: true },
    component: lazyPage("DeleteSensorDialog", load),
  });
  const router = createRouter({
    routeTree: root.addChildren([dialog]),
    history: createMemoryHistory({ initialEntries: ["/delete"] }),
    defaultPendingComponent: LoadingPage,
    defaultPendingMs: 0,
    defaultErrorComponent: FailedPage,
  });
  return renderInApp(<RouterProvider router={router} />);
}

test(
  "ER-04 a dialog that can't be loaded says so in its place, over the page that stays",
  { tags: "prove" },
  async () => {
    const screen = await pageWithDialog(() => Promise.reject(new TypeError("Failed to fetch")));
    const dialog = screen.getByRole("dialog", { name: "Loading chunk DeleteSensorDialog failed" });
    await expect.element(dialog.getByRole("button", { name: "Reload" })).toBeVisible();
    await expect.element(screen.getByText("Sensors")).toBeInTheDocument();
  },
);

test("a dialog on its way moves nothing: a line at the top says that it is coming", async () => {
  const screen = await pageWithDialog(() => new Promise(() => {}));
  await expect.element(screen.getByRole("progressbar", { name: "Loading" })).toBeVisible();
  await expect.element(screen.getByRole("heading", { name: "Sensors" })).toBeVisible();
  expect(screen.getByRole("status").elements()).toEqual([]);
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
  await expect.poll(address).toBe("/myaccount");
  up = true;
  await screen.getByRole("button", { name: "Try again" }).click();
  await expect.poll(address).toBe("/login?from=/myaccount");
});
