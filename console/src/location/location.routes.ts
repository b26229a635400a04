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
const generalTab = lazyPage("LocationGeneralTab", () => import("./LocationPage.tsx"));
const toGeneral = lazyPage("ToLocationGeneral", () => import("./LocationPage.tsx"));
const tabsElsewhere = ["issues", "monitoring", "apps", "apps/occupancy", "apps/occupancy/live", "apps/occupancy/link"];

export const locationRoutes = (signedIn: AnyRoute): AnyRoute =>
  pageAt(signedIn, "/location", Outlet, { title: "Locations", tab: "location" }, (area) => [
    listInArea(area, listPage, dialogs),
    pageAt(area, "/new", newPage, { title: "New Location" }),
    pageAt(area, "/$id", page, {}, (location) => [
      pageAt(location, "/", toGeneral),
      pageAt(location, "/general", generalTab),
      ...tabsElsewhere.map((tab) => pageAt(location, `/${tab}`, toGeneral)),
    ]),
  ]);
