// Routes of sensors: list, dialogs, and a page with tabs per type.
import { type SensorType, sensorTypes, typeSegment } from "@psp/contract/device/sensor-type.ts";
import { type AnyRoute, Outlet, type RouteComponent } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { areaListRoute, pageRoute } from "../address/page-routes.ts";

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

/** Creates the tabs that another part of the console adds to the page of a sensor type. */
type Tabs = (page: AnyRoute, type: SensorType) => AnyRoute[];

const pageOfType = (area: AnyRoute, type: SensorType, tabs: readonly Tabs[]): AnyRoute =>
  pageRoute(area, `/${typeSegment(type)}/$id`, sensorPage, {}, (page) => [
    pageRoute(page, "/", resolver),
    pageRoute(page, "/counts", countsTab),
    pageRoute(page, "/general", generalTab),
    pageRoute(page, "/history", historyTab),
    ...Object.entries(tabPages[type] ?? {}).map(([tab, component]) => pageRoute(page, `/${tab}`, component)),
    ...tabs.flatMap((tab) => tab(page, type)),
  ]);

export const sensorRoutes = (
  signedIn: AnyRoute,
  registering: (area: AnyRoute) => AnyRoute,
  tabs: readonly Tabs[],
): AnyRoute =>
  pageRoute(signedIn, "/sensor", Outlet, { title: "Sensors", tab: "sensor" }, (area) => [
    areaListRoute(area, list, dialogs),
    registering(area),
    ...sensorTypes.map((type) => pageOfType(area, type, tabs)),
    pageRoute(area, "/$id", resolver),
    pageRoute(area, "/$id/$destination", resolver),
    pageRoute(area, "/$id/dataendpoint/psp", resolver),
  ]);
