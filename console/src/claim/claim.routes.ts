// The addresses of registering sensors, in the area of the sensors.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageAt } from "../address/page-routes.ts";

const visit = lazyPage("RegisterVisit", () => import("./RegisterVisit.tsx"));
const scan = lazyPage("RegisterSensorsPage", () => import("./RegisterSensorsPage.tsx"));
const checkout = lazyPage("CheckoutPage", () => import("./CheckoutPages.tsx"));
const success = lazyPage("SuccessPage", () => import("./CheckoutPages.tsx"));

export const claimRoutes = (sensorArea: AnyRoute): AnyRoute =>
  pageAt(sensorArea, "/register", visit, { title: "Register Sensor" }, (page) => [
    pageAt(page, "/", scan),
    pageAt(page, "/checkout", checkout, { noHeader: true }),
    pageAt(page, "/success", success, { noHeader: true }),
  ]);
