// The addresses of accounts: registering, the list with its dialogs, and one's own.
import type { AnyRoute, RouteComponent } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { dialogsOver, listAt, pageAt } from "../address/page-routes.ts";

const registrationPages = () => import("./registration/RegistrationPages.tsx");

/** For those who have no account yet, or are not signed in. */
export function registrationRoutes(root: AnyRoute): AnyRoute[] {
  const page = (path: string, title: string, component: RouteComponent) =>
    pageAt(root, path, component, { noHeader: true, title });
  const verification = lazyPage("VerificationPage", () => import("./registration/VerificationPage.tsx"));
  return [
    page("/sign-up", "Sign up", lazyPage("SignUpPage", registrationPages)),
    page("/account/$id/registration/$regId", "Registration", lazyPage("RegistrationPage", registrationPages)),
    page("/account/$id/registration/$regId/verify/$code", "Registration", verification),
  ];
}

const listPage = lazyPage("AccountsPage", () => import("./list/AccountsPage.tsx"));
const listDialogs = {
  "/new": lazyPage("NewAccountDialog", () => import("./form/NewAccountDialog.tsx")),
  "/import": lazyPage("ImportAccountsDialog", () => import("./import/ImportAccountsDialog.tsx")),
  "/$id": lazyPage("EditAccountDialog", () => import("./form/EditAccountDialog.tsx")),
  "/delete/$id": lazyPage("DeleteAccountDialog", () => import("./form/DeleteAccountDialog.tsx")),
  "/review/$id": lazyPage("ReviewAccountDialog", () => import("./form/ReviewAccountDialog.tsx")),
};
const ownPage = lazyPage("MyAccountPage", () => import("./own/MyAccountPage.tsx"));
const ownDialogs = {
  "/delete/$id": lazyPage("CloseAccountDialog", () => import("./form/DeleteAccountDialog.tsx")),
};

export const accountRoutes = (signedIn: AnyRoute): AnyRoute[] => [
  listAt(signedIn, "/account", listPage, { title: "Accounts", tab: "account" }, listDialogs),
  pageAt(signedIn, "/myaccount", ownPage, { title: "My account" }, (page) => dialogsOver(page, ownDialogs)),
];
