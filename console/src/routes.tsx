// The whole route table of the console, put together from what each noun says of its addresses (spec 1 §2, 2 §2, 3 §2).
import { createRootRoute, createRoute, createRouter, type RouterHistory } from "@tanstack/react-router";
import { accountRoutes, registrationRoutes } from "./account/account.routes.ts";
import { parseSearch, searchText } from "./address/address.ts";
import { lazyPage } from "./address/lazyPage.ts";
import { pageAt } from "./address/page-routes.ts";
import { FailedPage, LoadingPage, NotFoundPage } from "./address/StandIns.tsx";
import { DashboardGate, HomeRedirect, RequireLogin } from "./app/gates.tsx";
import { Shell } from "./app/Shell.tsx";
import { authRoutes } from "./auth/auth.routes.ts";
import { claimRoutes } from "./claim/claim.routes.ts";
import { firmwareRoutes } from "./firmware/firmware.routes.ts";
import { initTokenRoutes } from "./init-token/init-token.routes.ts";
import { legalRoutes } from "./legal/legal.routes.ts";
import { locationRoutes } from "./location/location.routes.ts";
import { roleRoutes } from "./role/role.routes.ts";
import { sensorRoutes } from "./sensor/sensor.routes.ts";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage, errorComponent: FailedPage });
const signedIn = createRoute({ getParentRoute: () => root, id: "signedIn", component: RequireLogin });
const dashboard = lazyPage("DashboardPage", () => import("./dashboard/DashboardPage.tsx"));

const routeTree = root.addChildren([
  ...authRoutes(root),
  ...registrationRoutes(root),
  ...legalRoutes(root),
  signedIn.addChildren([
    pageAt(signedIn, "/", HomeRedirect),
    pageAt(signedIn, "/dashboard", DashboardGate, { title: "Dashboard", tab: "dashboard" }, (gate) => [
      pageAt(gate, "/", dashboard),
    ]),
    sensorRoutes(signedIn, claimRoutes),
    locationRoutes(signedIn),
    initTokenRoutes(signedIn),
    firmwareRoutes(signedIn),
    ...accountRoutes(signedIn),
    roleRoutes(signedIn),
  ]),
]);

/** The router over the browser's history, or another one in tests. */
export function createConsoleRouter(history?: RouterHistory) {
  return createRouter({
    routeTree,
    ...(history === undefined ? {} : { history }),
    parseSearch,
    stringifySearch: searchText,
    pathParamsAllowedCharacters: [":"],
    scrollRestoration: true,
    defaultPendingComponent: LoadingPage,
    defaultPendingMs: 300,
    defaultErrorComponent: FailedPage,
    defaultNotFoundComponent: NotFoundPage,
    notFoundMode: "root",
  });
}
