// Public routes of registration.
import type { AnyRoute, RouteComponent } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { pageRoute } from "../address/page-routes.ts";

const registrationPages = () => import("./RegistrationPages.tsx");

export function registrationRoutes(root: AnyRoute): AnyRoute[] {
  const page = (path: string, title: string, component: RouteComponent) =>
    pageRoute(root, path, component, { noHeader: true, title });
  const verification = lazyPage("VerificationPage", () => import("./VerificationPage.tsx"));
  return [
    page("/sign-up", "Sign up", lazyPage("SignUpPage", registrationPages)),
    page("/account/$id/registration/$regId", "Registration", lazyPage("RegistrationPage", registrationPages)),
    page("/account/$id/registration/$regId/verify/$code", "Registration", verification),
  ];
}
