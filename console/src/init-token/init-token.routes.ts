// Routes of init tokens.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { listRoute } from "../address/page-routes.ts";

const list = lazyPage("InitTokensPage", () => import("./InitTokensPage.tsx"));
const dialogs = {
  "/new": lazyPage("NewInitTokenDialog", () => import("./InitTokensPage.tsx")),
  "/$id": lazyPage("EditInitTokenDialog", () => import("./InitTokensPage.tsx")),
  "/delete/$id": lazyPage("DeleteInitTokenDialog", () => import("./InitTokensPage.tsx")),
};

export const initTokenRoutes = (signedIn: AnyRoute): AnyRoute =>
  listRoute(signedIn, "/init-token", list, { title: "Init Tokens", tab: "init-token" }, dialogs);
