// Tabs of a sensor's page with its settings sections.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageAt } from "../address/page-routes.ts";

const sectionTab = lazyPage("SensorSectionTab", () => import("./SectionTab.tsx"));

/** Any address that no other tab has: the descriptions of the sections come with the page that shows them. */
export const sectionRoutes = (page: AnyRoute, type: SensorType): AnyRoute[] =>
  type === "APS" ? [] : [pageAt(page, "/$", sectionTab)];
