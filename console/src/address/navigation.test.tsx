// Tests chained redirects, and redirects of pages that the user has left.
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { use } from "react";
import { expect, test } from "vitest";
import { renderInApp } from "../testing/render.tsx";
import { Redirect, useMatchedPath } from "./navigation.tsx";

const RedirectPage = () => <Redirect to={useMatchedPath().replace("from", "to")} />;

test("a redirect that starts while another is still loading goes to its own target", async () => {
  const held = Promise.withResolvers<void>();
  const root = createRootRoute();
  const route = { getParentRoute: () => root };
  const router = createRouter({
    routeTree: root.addChildren([
      createRoute({ ...route, path: "/from/$n", component: RedirectPage }),
      createRoute({ ...route, path: "/to/1", loader: () => held.promise, component: () => "page 1" }),
      createRoute({ ...route, path: "/to/2", component: () => "page 2" }),
    ]),
    history: createMemoryHistory({ initialEntries: ["/from/1"] }),
  });
  const screen = await renderInApp(<RouterProvider router={router} />);
  await expect.poll(() => router.latestLocation.pathname).toBe("/to/1");
  await router.navigate({ href: "/from/2" });
  await expect.element(screen.getByText("page 2")).toBeVisible();
  held.resolve();
  expect(router.latestLocation.pathname).toBe("/to/2");
});

test("a redirect does not replace the navigation that the user has started meanwhile", async () => {
  const known = Promise.withResolvers<string>();
  const held = Promise.withResolvers<void>();
  const root = createRootRoute();
  const route = { getParentRoute: () => root };
  const Home = () => (
    <>
      {use(known.promise)}
      <Redirect to="/dashboard" />
    </>
  );
  const router = createRouter({
    routeTree: root.addChildren([
      createRoute({ ...route, path: "/", component: Home, pendingComponent: () => "loading" }),
      createRoute({ ...route, path: "/dashboard", component: () => "dashboard" }),
      createRoute({ ...route, path: "/account", loader: () => held.promise, component: () => "accounts" }),
    ]),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  const screen = await renderInApp(<RouterProvider router={router} />);
  await expect.element(screen.getByText("loading")).toBeVisible();
  void router.navigate({ href: "/account" });
  await expect.poll(() => router.latestLocation.pathname).toBe("/account");
  known.resolve("home is known");
  await expect.element(screen.getByText("home is known")).toBeVisible();
  held.resolve();
  await expect.element(screen.getByText("accounts")).toBeVisible();
  expect(router.latestLocation.pathname).toBe("/account");
});
