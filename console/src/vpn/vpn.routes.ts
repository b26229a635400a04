// The VPN tab of a sensor's page.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageAt } from "../address/page-routes.ts";

const vpnTab = lazyPage("SensorVpnTab", () => import("./VpnTab.tsx"));

export const vpnRoutes = (page: AnyRoute, type: SensorType): AnyRoute[] =>
  type === "APS" ? [pageAt(page, "/vpn", vpnTab)] : [];
