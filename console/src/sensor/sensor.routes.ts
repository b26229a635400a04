// The addresses of sensors: the list with its dialogs, and a page with tabs for each type.
import { type SensorType, sensorTypes, typeSegment } from "@psp/contract/device/sensor-type.ts";
import { type AnyRoute, Outlet, type RouteComponent } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { listInArea, pageAt } from "../address/page-routes.ts";

const list = lazyPage("SensorsPage", () => import("./list/SensorsPage.tsx"));
const dialogs = {
  "/new": lazyPage("NewSensorDialog", () => import("./list/NewSensorDialog.tsx")),
  "/delete/$id": lazyPage("DeleteSensorDialog", () => import("./list/NewSensorDialog.tsx")),
};
const resolver = lazyPage("SensorResolver", () => import("./page/SensorPage.tsx"));
const sensorPage = lazyPage("SensorPage", () => import("./page/SensorPage.tsx"));
const generalTab = lazyPage("SensorGeneralTab", () => import("./page/SensorTabs.tsx"));
const countsTab = lazyPage("SensorCountsTab", () => import("./page/SensorTabs.tsx"));
const historyTab = lazyPage("SensorHistoryTab", () => import("./page/SensorTabs.tsx"));
const tabPages: Partial<Record<SensorType, Record<string, RouteComponent>>> = {
  APS: {
    monitoring: lazyPage("SensorMonitoringTab", () => import("./page/SensorMonitoring.tsx")),
    logs: lazyPage("SensorLogsTab", () => import("./page/SensorMonitoring.tsx")),
    firmware: lazyPage("SensorFirmwareTab", () => import("./page/SensorTabs.tsx")),
  },
};

/** Tabs that another noun adds to the page of a type. */
type Tabs = (page: AnyRoute, type: SensorType) => AnyRoute[];

const pageOfType = (area: AnyRoute, type: SensorType, tabs: readonly Tabs[]): AnyRoute =>
  pageAt(area, `/${typeSegment(type)}/$id`, sensorPage, {}, (page) => [
    pageAt(page, "/", resolver),
    pageAt(page, "/counts", countsTab),
    pageAt(page, "/general", generalTab),
    pageAt(page, "/history", historyTab),
    ...Object.entries(tabPages[type] ?? {}).map(([tab, component]) => pageAt(page, `/${tab}`, component)),
    ...tabs.flatMap((tab) => tab(page, type)),
  ]);

/** `registering` is done in the same area. */
export const sensorRoutes = (
  signedIn: AnyRoute,
  registering: (area: AnyRoute) => AnyRoute,
  tabs: readonly Tabs[],
): AnyRoute =>
  pageAt(signedIn, "/sensor", Outlet, { title: "Sensors", tab: "sensor" }, (area) => [
    listInArea(area, list, dialogs),
    registering(area),
    ...sensorTypes.map((type) => pageOfType(area, type, tabs)),
    pageAt(area, "/$id", resolver),
    pageAt(area, "/$id/$destination", resolver),
    pageAt(area, "/$id/dataendpoint/psp", resolver),
  ]);
