// The addresses of signing in.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageAt } from "../address/page-routes.ts";

const login = lazyPage("LoginPage", () => import("./LoginPage.tsx"));
const forgotPassword = lazyPage("ForgotPasswordPage", () => import("./PasswordHelpPages.tsx"));
const resetPassword = lazyPage("ResetPasswordPage", () => import("./PasswordHelpPages.tsx"));

export const authRoutes = (root: AnyRoute): AnyRoute[] => [
  pageAt(root, "/login", login, { noHeader: true, title: "Login" }),
  pageAt(root, "/forgot-password", forgotPassword, { noHeader: true, title: "Forgot password" }),
  pageAt(root, "/reset-password", resetPassword, { noHeader: true, title: "Reset password" }),
];
