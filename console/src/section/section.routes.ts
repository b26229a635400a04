// Routes of settings sections.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageRoute } from "../address/page-routes.ts";

const sectionTab = lazyPage("SensorSectionTab", () => import("./SectionTab.tsx"));

/** One catch-all route for all tabs, because the descriptions of sections load lazily with the page. */
export const sectionRoutes = (page: AnyRoute, type: SensorType): AnyRoute[] =>
  type === "APS" ? [] : [pageRoute(page, "/$", sectionTab)];
