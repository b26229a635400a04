// The addresses of roles.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { listAt } from "../address/page-routes.ts";

const list = lazyPage("RolesPage", () => import("./RolesPage.tsx"));
const dialogs = {
  "/new": lazyPage("NewRoleDialog", () => import("./RoleDialogs.tsx")),
  "/$id": lazyPage("EditRoleDialog", () => import("./RoleDialogs.tsx")),
  "/delete/$id": lazyPage("DeleteRoleDialog", () => import("./RoleDialogs.tsx")),
};

export const roleRoutes = (signedIn: AnyRoute): AnyRoute =>
  listAt(signedIn, "/role", list, { title: "Roles", tab: "role" }, dialogs);
