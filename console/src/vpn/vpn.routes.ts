// Route of the VPN tab.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageRoute } from "../address/page-routes.ts";

const vpnTab = lazyPage("SensorVpnTab", () => import("./VpnTab.tsx"));

export const vpnRoutes = (page: AnyRoute, type: SensorType): AnyRoute[] =>
  type === "APS" ? [pageRoute(page, "/vpn", vpnTab)] : [];
