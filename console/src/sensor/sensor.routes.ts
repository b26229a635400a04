// The addresses of sensors: the list with its dialogs, and a page with tabs for each type.
import { type SensorType, sensorTypes, typeSegment } from "@psp/contract/sensor/sensor-type.ts";
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
const previews = () => import("./preview/PreviewTabs.tsx");
const camerasPreview = lazyPage("PreviewCamerasTab", previews);
const tabPages: Partial<Record<SensorType, Record<string, RouteComponent>>> = {
  APS: {
    monitoring: lazyPage("SensorMonitoringTab", () => import("./page/SensorMonitoring.tsx")),
    logs: lazyPage("SensorLogsTab", () => import("./page/SensorMonitoring.tsx")),
    vpn: lazyPage("SensorVpnTab", () => import("./vpn/VpnTab.tsx")),
    firmware: lazyPage("SensorFirmwareTab", () => import("./page/SensorTabs.tsx")),
  },
  ZOD: {
    "preview-cameras": camerasPreview,
    "preview-gps": lazyPage("PreviewGpsTab", previews),
  },
  "PS.C1": { "preview-cameras": camerasPreview },
};
/** A page with pages of its own, which share what is asked. */
const occupancyPreview = (page: AnyRoute) =>
  pageAt(page, "/preview-occupancy", lazyPage("PreviewOccupancyTab", previews), {}, (tab) =>
    ["/", "/$page"].map((path) => pageAt(tab, path, lazyPage("PreviewOccupancyPage", previews))),
  );
const sectionTab = lazyPage("SensorSectionTab", () => import("./section/SectionTab.tsx"));
const pageOfType = (area: AnyRoute, type: SensorType): AnyRoute =>
  pageAt(area, `/${typeSegment(type)}/$id`, sensorPage, {}, (page) => [
    pageAt(page, "/", resolver),
    pageAt(page, "/counts", countsTab),
    pageAt(page, "/general", generalTab),
    pageAt(page, "/history", historyTab),
    ...Object.entries(tabPages[type] ?? {}).map(([tab, component]) => pageAt(page, `/${tab}`, component)),
    ...(type === "ZOD" ? [occupancyPreview(page)] : []),
    // Which sections there are, their descriptions say, which come with the page that shows them only.
    ...(type === "APS" ? [] : [pageAt(page, "/$", sectionTab)]),
  ]);

/** `registering` is done in the same area. */
export const sensorRoutes = (signedIn: AnyRoute, registering: (area: AnyRoute) => AnyRoute): AnyRoute =>
  pageAt(signedIn, "/sensor", Outlet, { title: "Sensors", tab: "sensor" }, (area) => [
    listInArea(area, list, dialogs),
    registering(area),
    ...sensorTypes.map((type) => pageOfType(area, type)),
    pageAt(area, "/$id", resolver),
    pageAt(area, "/$id/$destination", resolver),
    pageAt(area, "/$id/dataendpoint/psp", resolver),
  ]);

/** How far a firmware has come, below the firmware's own address. */
export const rolloutRoutes = (area: AnyRoute): AnyRoute =>
  pageAt(
    area,
    "/$id/rollout",
    lazyPage("RolloutPage", () => import("./rollout/RolloutPage.tsx")),
  );
