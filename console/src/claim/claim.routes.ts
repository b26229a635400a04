// Routes of sensor registration, in the sensor area.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageRoute } from "../address/page-routes.ts";

const visit = lazyPage("RegisterVisit", () => import("./RegisterVisit.tsx"));
const scan = lazyPage("RegisterSensorsPage", () => import("./RegisterSensorsPage.tsx"));
const checkout = lazyPage("CheckoutPage", () => import("./CheckoutPages.tsx"));
const success = lazyPage("SuccessPage", () => import("./CheckoutPages.tsx"));

export const claimRoutes = (sensorArea: AnyRoute): AnyRoute =>
  pageRoute(sensorArea, "/register", visit, { title: "Register Sensor" }, (page) => [
    pageRoute(page, "/", scan),
    pageRoute(page, "/checkout", checkout, { noHeader: true }),
    pageRoute(page, "/success", success, { noHeader: true }),
  ]);
