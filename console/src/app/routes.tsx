// Route table of the console (SH-10).
import { createRootRoute, createRoute, createRouter, type RouterHistory } from "@tanstack/react-router";
import { accountRoutes } from "../account/account.routes.ts";
import { parseSearch, formatSearch } from "../address/address.ts";
import { lazyPage } from "../address/lazyPage.ts";
import { listRoute, pageRoute } from "../address/page-routes.ts";
import { FailedPage, LoadingPage, NotFoundPage } from "../address/FallbackPages.tsx";
import { RequireLogin } from "./gates.tsx";
import { Shell } from "./Shell.tsx";
import { authRoutes } from "../auth/auth.routes.ts";
import { claimRoutes } from "../claim/claim.routes.ts";
import { eventRoutes } from "../event/event.routes.ts";
import { firmwareRoutes } from "../firmware/firmware.routes.ts";
import { initTokenRoutes } from "../init-token/init-token.routes.ts";
import { legalRoutes } from "../legal/legal.routes.ts";
import { locationRoutes } from "../location/location.routes.ts";
import { displayRoutes, occupancyRoutes } from "../occupancy/occupancy.routes.ts";
import { previewRoutes } from "../preview/preview.routes.ts";
import { registrationRoutes } from "../registration/registration.routes.ts";
import { reportListRoutes, reportRoutes } from "../report/report.routes.ts";
import { roleRoutes } from "../role/role.routes.ts";
import { rolloutRoutes } from "../rollout/rollout.routes.ts";
import { sectionRoutes } from "../section/section.routes.ts";
import { sensorRoutes } from "../sensor/sensor.routes.ts";
import { vpnRoutes } from "../vpn/vpn.routes.ts";
import { afterPaint } from "../address/afterPaint.ts";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage, errorComponent: FailedPage });
const signedIn = createRoute({ getParentRoute: () => root, id: "signedIn", component: RequireLogin });
const home = lazyPage("HomeRedirect", () => import("./home.tsx"));
const dashboardGate = lazyPage("DashboardGate", () => import("./home.tsx"));
const vehicles = lazyPage("VehiclesRedirect", () => import("./home.tsx"));
const dashboard = lazyPage("DashboardPage", () => import("../dashboard/DashboardPage.tsx"));
const issues = lazyPage("IssuesRoute", () => import("./IssuesLink.tsx"));

const status = lazyPage("StatusPage", () => import("./StatusPage.tsx"));

const routeTree = root.addChildren([
  ...authRoutes(root),
  ...registrationRoutes(root),
  ...legalRoutes(root),
  ...reportRoutes(root),
  ...displayRoutes(root),
  pageRoute(root, "/status", status, { title: "Status" }),
  signedIn.addChildren([
    pageRoute(signedIn, "/", home),
    pageRoute(signedIn, "/dashboard", dashboardGate, { title: "Dashboard", tab: "dashboard" }, (gate) => [
      pageRoute(gate, "/", dashboard),
    ]),
    listRoute(signedIn, "/issues", issues, {}, {}),
    pageRoute(signedIn, "/vehicles", vehicles),
    sensorRoutes(signedIn, claimRoutes, [vpnRoutes, previewRoutes, sectionRoutes]),
    locationRoutes(signedIn, occupancyRoutes),
    eventRoutes(signedIn),
    reportListRoutes(signedIn),
    initTokenRoutes(signedIn),
    firmwareRoutes(signedIn, rolloutRoutes),
    ...accountRoutes(signedIn),
    roleRoutes(signedIn),
  ]),
]);

export function createConsoleRouter(history?: RouterHistory) {
  const router = createRouter({
    routeTree,
    ...(history === undefined ? {} : { history }),
    parseSearch,
    stringifySearch: formatSearch,
    pathParamsAllowedCharacters: [":"],
    scrollRestoration: true,
    defaultPendingComponent: LoadingPage,
    defaultPendingMs: 300,
    defaultErrorComponent: FailedPage,
    defaultNotFoundComponent: NotFoundPage,
    notFoundMode: "root",
  });
  // Paints the pressed state before navigating, because rendering the next page may take long. If the user goes back meanwhile, the
  // navigation is dropped.
  let moves = 0;
  router.history.subscribe(({ action }) => {
    if (action.type !== "PUSH" && action.type !== "REPLACE") moves += 1;
  });
  const { navigate } = router;
  router.navigate = ((to: Parameters<typeof navigate>[0]) =>
    new Promise<void>((resolve, reject) => {
      const asked = moves;
      afterPaint(() => (asked === moves ? void navigate(to).then(resolve, reject) : resolve()));
    })) as typeof navigate;
  return router;
}
