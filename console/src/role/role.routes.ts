// Routes of roles.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { listRoute } from "../address/page-routes.ts";

const list = lazyPage("RolesPage", () => import("./RolesPage.tsx"));
const dialogs = {
  "/new": lazyPage("NewRoleDialog", () => import("./RoleDialogs.tsx")),
  "/$id": lazyPage("EditRoleDialog", () => import("./RoleDialogs.tsx")),
  "/delete/$id": lazyPage("DeleteRoleDialog", () => import("./RoleDialogs.tsx")),
};

export const roleRoutes = (signedIn: AnyRoute): AnyRoute =>
  listRoute(signedIn, "/role", list, { title: "Roles", tab: "role" }, dialogs);
