// Routes of reports, and of the page for the links in mails.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { listRoute, pageRoute } from "../address/page-routes.ts";

const unsubscribe = lazyPage("UnsubscribePage", () => import("./UnsubscribePage.tsx"));
const list = lazyPage("ReportsPage", () => import("./ReportsPage.tsx"));
const dialogs = {
  "/new": lazyPage("NewReportDialog", () => import("./ReportsPage.tsx")),
  "/$id": lazyPage("EditReportDialog", () => import("./ReportsPage.tsx")),
  "/delete/$id": lazyPage("DeleteReportDialog", () => import("./ReportsPage.tsx")),
};

export const reportRoutes = (root: AnyRoute): AnyRoute[] => [
  pageRoute(root, "/unsubscribe", unsubscribe, { noHeader: true, title: "Weekly report" }),
];

/** Reports are part of the area of locations. */
export const reportListRoutes = (signedIn: AnyRoute): AnyRoute =>
  listRoute(signedIn, "/location/reports", list, { title: "Reports", tab: "location" }, dialogs);
