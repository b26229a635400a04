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
  issues: lazyPage("LocationIssuesTab", () => import("./page/LocationMonitoring.tsx")),
  monitoring: lazyPage("LocationMonitoringTab", () => import("./page/LocationMonitoring.tsx")),
};

/** `apps` are the pages of the applications that count who is inside. */
export const locationRoutes = (signedIn: AnyRoute, apps: (location: AnyRoute) => AnyRoute[]): AnyRoute =>
  pageAt(signedIn, "/location", Outlet, { title: "Locations", tab: "location" }, (area) => [
    listInArea(area, listPage, dialogs),
    pageAt(area, "/new", newPage, { title: "New Location" }),
    pageAt(area, "/counts", comparePage, { title: "Compare counts" }),
    pageAt(area, "/$id", page, {}, (location) => [
      pageAt(location, "/", toGeneral),
      pageAt(location, "/counts", countsTab),
      pageAt(location, "/general", generalTab),
      ...Object.entries(tabPages).map(([tab, component]) => pageAt(location, `/${tab}`, component)),
      ...apps(location),
    ]),
  ]);
