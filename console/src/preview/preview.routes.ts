// Tabs of a sensor's page that show what it sees: cameras, GPS, and how full a coach is.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageAt } from "../address/page-routes.ts";

const previews = () => import("./PreviewTabs.tsx");
const cameras = lazyPage("PreviewCamerasTab", previews);
const gps = lazyPage("PreviewGpsTab", previews);
const occupancy = lazyPage("PreviewOccupancyTab", previews);
const occupancyPage = lazyPage("PreviewOccupancyPage", previews);

export function previewRoutes(page: AnyRoute, type: SensorType): AnyRoute[] {
  if (type === "APS") return [];
  const camerasTab = pageAt(page, "/preview-cameras", cameras);
  if (type === "PS.C1") return [camerasTab];
  return [
    camerasTab,
    pageAt(page, "/preview-gps", gps),
    // A page with pages of its own, which share what is asked.
    pageAt(page, "/preview-occupancy", occupancy, {}, (tab) =>
      ["/", "/$page"].map((path) => pageAt(tab, path, occupancyPage)),
    ),
  ];
}
