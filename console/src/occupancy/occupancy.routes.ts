// Routes of the occupancy app below a location, and of the public display.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { dialogRoutes, pageRoute } from "../address/page-routes.ts";

const overview = lazyPage("AppsPage", () => import("./AppsPage.tsx"));
const form = lazyPage("OccupancyPage", () => import("./form/OccupancyPage.tsx"));
const ledger = lazyPage("LedgerPage", () => import("./ledger/LedgerPage.tsx"));
const display = lazyPage("DisplayPage", () => import("./light/DisplayPage.tsx"));
const dialogs = {
  "/live": lazyPage("LiveDisplayPreview", () => import("./light/LiveDisplayPreview.tsx")),
  "/link": lazyPage("LinkDialog", () => import("./link/LinkDialog.tsx")),
};

export const occupancyRoutes = (location: AnyRoute): AnyRoute[] => [
  pageRoute(location, "/apps", overview),
  pageRoute(location, "/apps/occupancy", form, {}, (page) => dialogRoutes(page, dialogs)),
  pageRoute(location, "/apps/occupancy/ledger", ledger),
];

export const displayRoutes = (root: AnyRoute): AnyRoute[] => [
  pageRoute(root, "/display/$id", display, { bare: true, title: "Occupancy" }),
];
