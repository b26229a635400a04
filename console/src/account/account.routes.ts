// The addresses of accounts: registering, the list with its dialogs, and one's own.
import type { AnyRoute } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { dialogsOver, pageAt } from "../address/page-routes.ts";

const noHeader = true;

/** For those who have no account yet, or are not signed in. */
export const registrationRoutes = (root: AnyRoute): AnyRoute[] => [
  pageAt(
    root,
    "/sign-up",
    lazyPage("SignUpPage", () => import("./registration/RegistrationPages.tsx")),
    { noHeader, title: "Sign up" },
  ),
  pageAt(
    root,
    "/account/$id/registration/$regId",
    lazyPage("RegistrationPage", () => import("./registration/RegistrationPages.tsx")),
    { noHeader, title: "Registration" },
  ),
  pageAt(
    root,
    "/account/$id/registration/$regId/verify/$code",
    lazyPage("VerificationPage", () => import("./registration/VerificationPage.tsx")),
    { noHeader, title: "Registration" },
  ),
];

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
  pageAt(signedIn, "/account", listPage, { title: "Accounts", tab: "account" }, (page) =>
    dialogsOver(page, listDialogs),
  ),
  pageAt(signedIn, "/myaccount", ownPage, { title: "My account" }, (page) => dialogsOver(page, ownDialogs)),
];
