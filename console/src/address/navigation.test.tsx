// Tests chained redirects.
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
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
