// The addresses of signing in.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageAt } from "../address/page-routes.ts";

const noHeader = true;

export const authRoutes = (root: AnyRoute): AnyRoute[] => [
  pageAt(
    root,
    "/login",
    lazyPage("LoginPage", () => import("./LoginPage.tsx")),
    { noHeader, title: "Login" },
  ),
  pageAt(
    root,
    "/forgot-password",
    lazyPage("ForgotPasswordPage", () => import("./PasswordHelpPages.tsx")),
    { noHeader, title: "Forgot password" },
  ),
  pageAt(
    root,
    "/reset-password",
    lazyPage("ResetPasswordPage", () => import("./PasswordHelpPages.tsx")),
    { noHeader, title: "Reset password" },
  ),
];
