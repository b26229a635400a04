// Route of the unsubscribe page.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageRoute } from "../address/page-routes.ts";

const unsubscribe = lazyPage("UnsubscribePage", () => import("./UnsubscribePage.tsx"));

export const reportRoutes = (root: AnyRoute): AnyRoute[] => [
  pageRoute(root, "/unsubscribe", unsubscribe, { noHeader: true, title: "Weekly report" }),
];
