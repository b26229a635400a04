// Routes of firmware.
import { type AnyRoute, Outlet } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { areaListRoute, pageRoute } from "../address/page-routes.ts";

const list = lazyPage("FirmwarePage", () => import("./FirmwarePage.tsx"));
const dialogs = {
  "/new": lazyPage("NewFirmwareDialog", () => import("./NewFirmwareDialog.tsx")),
  "/$id": lazyPage("EditFirmwareDialog", () => import("./EditFirmwareDialog.tsx")),
  "/delete/$id": lazyPage("DeleteFirmwareDialog", () => import("./EditFirmwareDialog.tsx")),
};

/** `rollouts` creates the route of the rollout page, which belongs to the same area. */
export const firmwareRoutes = (signedIn: AnyRoute, rollouts: (area: AnyRoute) => AnyRoute): AnyRoute =>
  pageRoute(signedIn, "/firmware", Outlet, { title: "Firmware", tab: "firmware" }, (area) => [
    areaListRoute(area, list, dialogs),
    rollouts(area),
  ]);
