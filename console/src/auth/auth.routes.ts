// Routes of login and password pages.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageRoute } from "../address/page-routes.ts";

const login = lazyPage("LoginPage", () => import("./LoginPage.tsx"));
const forgotPassword = lazyPage("ForgotPasswordPage", () => import("./PasswordHelpPages.tsx"));
const resetPassword = lazyPage("ResetPasswordPage", () => import("./PasswordHelpPages.tsx"));

export const authRoutes = (root: AnyRoute): AnyRoute[] => [
  pageRoute(root, "/login", login, { noHeader: true, title: "Login" }),
  pageRoute(root, "/forgot-password", forgotPassword, { noHeader: true, title: "Forgot password" }),
  pageRoute(root, "/reset-password", resetPassword, { noHeader: true, title: "Reset password" }),
];
