// The address that links in weekly reports lead to.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageAt } from "../address/page-routes.ts";

const unsubscribe = lazyPage("UnsubscribePage", () => import("./UnsubscribePage.tsx"));

export const reportRoutes = (root: AnyRoute): AnyRoute[] => [
  pageAt(root, "/unsubscribe", unsubscribe, { noHeader: true, title: "Weekly report" }),
];
