// Routes of accounts: the list with its dialogs, and the user's own account.
import { type AnyRoute, createRoute, redirect } from "@tanstack/react-router";
import { lazyPage } from "../address/lazyPage.ts";
import { paths } from "../address/paths.ts";
import { dialogRoutes, listRoute, pageRoute } from "../address/page-routes.ts";

const listPage = lazyPage("AccountsPage", () => import("./list/AccountsPage.tsx"));
const listDialogs = {
  "/new": lazyPage("NewAccountDialog", () => import("./form/NewAccountDialog.tsx")),
  "/invite": lazyPage("InviteFromAccounts", () => import("../invitation/InviteDialog.tsx")),
  "/import": lazyPage("ImportAccountsDialog", () => import("./import/ImportAccountsDialog.tsx")),
  "/$id": lazyPage("EditAccountDialog", () => import("./form/EditAccountDialog.tsx")),
  "/delete/$id": lazyPage("DeleteAccountDialog", () => import("./form/DeleteAccountDialog.tsx")),
  "/review/$id": lazyPage("ReviewAccountDialog", () => import("./form/ReviewAccountDialog.tsx")),
};
const ownPage = lazyPage("MyAccountPage", () => import("./own/MyAccountPage.tsx"));
const ownDialogs = {
  "/invite": lazyPage("InviteFromMyAccount", () => import("../invitation/InviteDialog.tsx")),
  "/delete/$id": lazyPage("CloseAccountDialog", () => import("./form/DeleteAccountDialog.tsx")),
};

export const accountRoutes = (signedIn: AnyRoute): AnyRoute[] => [
  listRoute(signedIn, "/account", listPage, { title: "Accounts", tab: "account" }, listDialogs),
  createRoute({
    getParentRoute: () => signedIn,
    path: paths.customers,
    beforeLoad: () => {
      throw redirect({ href: `${paths.accounts}?viewType=health`, replace: true });
    },
  }),
  pageRoute(signedIn, "/myaccount", ownPage, { title: "My account" }, (page) => dialogRoutes(page, ownDialogs)),
];
