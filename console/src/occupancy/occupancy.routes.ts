// The addresses of the occupancy app: its pages below a location, and the display that needs no login.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { dialogsOver, pageAt } from "../address/page-routes.ts";

const overview = lazyPage("AppsPage", () => import("./AppsPage.tsx"));
const form = lazyPage("OccupancyPage", () => import("./form/OccupancyPage.tsx"));
const ledger = lazyPage("LedgerPage", () => import("./ledger/LedgerPage.tsx"));
const display = lazyPage("DisplayPage", () => import("./light/DisplayPage.tsx"));
const dialogs = {
  "/live": lazyPage("LivePreview", () => import("./light/LivePreview.tsx")),
  "/link": lazyPage("LinkDialog", () => import("./link/LinkDialog.tsx")),
};

/** Below the page of a location. */
export const occupancyRoutes = (location: AnyRoute): AnyRoute[] => [
  pageAt(location, "/apps", overview),
  pageAt(location, "/apps/occupancy", form, {}, (page) => dialogsOver(page, dialogs)),
  pageAt(location, "/apps/occupancy/ledger", ledger),
];

export const displayRoutes = (root: AnyRoute): AnyRoute[] => [
  pageAt(root, "/display/$id", display, { bare: true, title: "Occupancy" }),
];
