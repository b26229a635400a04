// Routes of locations.
import { type AnyRoute, Outlet } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { areaListRoute, pageRoute } from "../address/page-routes.ts";

const listPage = lazyPage("LocationsPage", () => import("./LocationsPage.tsx"));
const dialogs = {
  "/delete/$id": lazyPage("DeleteLocationDialog", () => import("./LocationsPage.tsx")),
  "/import-sales": lazyPage("ImportSalesPage", () => import("../sales/ImportSalesDialog.tsx")),
};
const newPage = lazyPage("NewLocationPage", () => import("./form/NewLocationPage.tsx"));
const page = lazyPage("LocationPage", () => import("./LocationPage.tsx"));
const generalTab = lazyPage("LocationGeneralTab", () => import("./page/LocationGeneral.tsx"));
const countsTab = lazyPage("LocationCountsTab", () => import("./LocationPage.tsx"));
const comparePage = lazyPage("CompareCountsPage", () => import("./counts/CompareCountsPage.tsx"));
const toGeneral = lazyPage("LocationGeneralRedirect", () => import("./LocationPage.tsx"));
const tabPages = {
  history: lazyPage("LocationHistoryTab", () => import("./page/LocationTabs.tsx")),
  issues: lazyPage("LocationIssuesTab", () => import("./page/LocationMonitoring.tsx")),
  sales: lazyPage("LocationSalesTab", () => import("./page/LocationSales.tsx")),
  monitoring: lazyPage("LocationMonitoringTab", () => import("./page/LocationMonitoring.tsx")),
};

/** `apps` are the routes of the occupancy applications. */
export const locationRoutes = (signedIn: AnyRoute, apps: (location: AnyRoute) => AnyRoute[]): AnyRoute =>
  pageRoute(signedIn, "/location", Outlet, { title: "Locations", tab: "location" }, (area) => [
    areaListRoute(area, listPage, dialogs),
    pageRoute(area, "/new", newPage, { title: "New Location" }),
    pageRoute(area, "/counts", comparePage, { title: "Compare counts" }),
    pageRoute(area, "/$id", page, {}, (location) => [
      pageRoute(location, "/", toGeneral),
      pageRoute(location, "/counts", countsTab),
      pageRoute(location, "/general", generalTab),
      ...Object.entries(tabPages).map(([tab, component]) => pageRoute(location, `/${tab}`, component)),
      ...apps(location),
    ]),
  ]);
