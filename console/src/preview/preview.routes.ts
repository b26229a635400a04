// Routes of preview tabs: cameras, GPS and occupancy.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageRoute } from "../address/page-routes.ts";

const previews = () => import("./PreviewTabs.tsx");
const cameras = lazyPage("PreviewCamerasTab", previews);
const gps = lazyPage("PreviewGpsTab", previews);
const occupancy = lazyPage("PreviewOccupancyTab", previews);
const occupancyPage = lazyPage("PreviewOccupancyPage", previews);

export function previewRoutes(page: AnyRoute, type: SensorType): AnyRoute[] {
  if (type === "APS") return [];
  const camerasTab = pageRoute(page, "/preview-cameras", cameras);
  if (type === "PS.C1") return [camerasTab];
  return [
    camerasTab,
    pageRoute(page, "/preview-gps", gps),
    // The pages of this tab share one poll.
    pageRoute(page, "/preview-occupancy", occupancy, {}, (tab) =>
      ["/", "/$page"].map((path) => pageRoute(tab, path, occupancyPage)),
    ),
  ];
}
