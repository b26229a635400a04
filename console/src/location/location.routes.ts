// The addresses of locations.
import { type AnyRoute, Outlet } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { listInArea, pageAt } from "../address/page-routes.ts";

const listPage = lazyPage("LocationsPage", () => import("./LocationsPage.tsx"));
const dialogs = {
  "/delete/$id": lazyPage("DeleteLocationDialog", () => import("./LocationsPage.tsx")),
};
const newPage = lazyPage("NewLocationPage", () => import("./form/NewLocationPage.tsx"));
const page = lazyPage("LocationPage", () => import("./LocationPage.tsx"));
const generalTab = lazyPage("LocationGeneralTab", () => import("./page/LocationGeneral.tsx"));
const countsTab = lazyPage("LocationCountsTab", () => import("./LocationPage.tsx"));
const comparePage = lazyPage("CompareCountsPage", () => import("./counts/CompareCountsPage.tsx"));
const toGeneral = lazyPage("ToLocationGeneral", () => import("./LocationPage.tsx"));
const tabPages = {
  history: lazyPage("LocationHistoryTab", () => import("./page/LocationTabs.tsx")),
  issues: lazyPage("LocationIssuesTab", () => import("./page/LocationTabs.tsx")),
  monitoring: lazyPage("LocationMonitoringTab", () => import("./page/LocationTabs.tsx")),
  apps: lazyPage("LocationAppsTab", () => import("./page/LocationTabs.tsx")),
};
/** Pages that a location of today can't show: their addresses lead to the general one. */
const tabsElsewhere = ["apps/occupancy", "apps/occupancy/live", "apps/occupancy/link"];

export const locationRoutes = (signedIn: AnyRoute): AnyRoute =>
  pageAt(signedIn, "/location", Outlet, { title: "Locations", tab: "location" }, (area) => [
    listInArea(area, listPage, dialogs),
    pageAt(area, "/new", newPage, { title: "New Location" }),
    pageAt(area, "/counts", comparePage, { title: "Compare counts" }),
    pageAt(area, "/$id", page, {}, (location) => [
      pageAt(location, "/", toGeneral),
      pageAt(location, "/counts", countsTab),
      pageAt(location, "/general", generalTab),
      ...Object.entries(tabPages).map(([tab, component]) => pageAt(location, `/${tab}`, component)),
      ...tabsElsewhere.map((tab) => pageAt(location, `/${tab}`, toGeneral)),
    ]),
  ]);
