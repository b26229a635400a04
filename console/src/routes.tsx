// The whole route table of the console: every address, its page, its title and its area (spec 1 §2, 2 §2, 3 §2).
import { type SensorType, sensorTypes, typeSegment } from "@psp/contract/sensor/sensor-type.ts";
import { createRootRoute, createRoute, createRouter, Outlet, type RouterHistory } from "@tanstack/react-router";
import { parseSearch, searchText } from "./address/address.ts";
import { DashboardGate } from "./app/DashboardGate.tsx";
import { HomeRedirect } from "./app/HomeRedirect.tsx";
import { RequireLogin } from "./app/RequireLogin.tsx";
import { Shell } from "./app/Shell.tsx";
import { FailedPage, LoadingPage, NotFoundPage } from "./address/StandIns.tsx";
import { lazyPage } from "./address/lazyPage.ts";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage, errorComponent: FailedPage });

// --- Public pages -----------------------------------------------------------------------------------------------------
const noHeader = { noHeader: true } as const;
const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  staticData: { ...noHeader, title: "Login" },
  component: lazyPage("LoginPage", () => import("./auth/LoginPage.tsx")),
});
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgot-password",
  staticData: { ...noHeader, title: "Forgot password" },
  component: lazyPage("ForgotPasswordPage", () => import("./auth/PasswordHelpPages.tsx")),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: "/reset-password",
  staticData: { ...noHeader, title: "Reset password" },
  component: lazyPage("ResetPasswordPage", () => import("./auth/PasswordHelpPages.tsx")),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  staticData: { ...noHeader, title: "Sign up" },
  component: lazyPage("SignUpPage", () => import("./account/registration/SignUpPage.tsx")),
});
const registration = createRoute({
  getParentRoute: () => root,
  path: "/account/$id/registration/$regId",
  staticData: { ...noHeader, title: "Registration" },
  component: lazyPage("RegistrationPage", () => import("./account/registration/RegistrationPages.tsx")),
});
const verification = createRoute({
  getParentRoute: () => root,
  path: "/account/$id/registration/$regId/verify/$code",
  staticData: { ...noHeader, title: "Registration" },
  component: lazyPage("VerificationPage", () => import("./account/registration/VerificationPage.tsx")),
});
const legal = (
  [
    ["/impressum", "Imprint", "ImprintPage"],
    ["/privacy", "Privacy", "PrivacyPage"],
    ["/licenses", "Licenses", "LicensesPage"],
    ["/end-user-license-agreement", "End user license agreement", "EulaPage"],
    ["/data-processing-agreement", "Data processing agreement", "DpaPage"],
    ["/data-processing-agreement/$dateFrom", "Data processing agreement", "DpaPage"],
  ] as const
).map(([path, title, page]) =>
  createRoute({
    getParentRoute: () => root,
    path,
    staticData: { title },
    component: lazyPage(page, () => import("./legal/LegalPages.tsx")),
  }),
);

// --- Behind the sign-in -----------------------------------------------------------------------------------------------
const signedIn = createRoute({ getParentRoute: () => root, id: "signedIn", component: RequireLogin });
const home = createRoute({ getParentRoute: () => signedIn, path: "/", component: HomeRedirect });

const dashboardGate = createRoute({
  getParentRoute: () => signedIn,
  path: "/dashboard",
  staticData: { title: "Dashboard", tab: "dashboard" },
  component: DashboardGate,
});
const dashboard = createRoute({
  getParentRoute: () => dashboardGate,
  path: "/",
  component: lazyPage("DashboardPage", () => import("./dashboard/DashboardPage.tsx")),
});

// --- Sensors ----------------------------------------------------------------------------------------------------------
const sensorArea = createRoute({
  getParentRoute: () => signedIn,
  path: "/sensor",
  staticData: { title: "Sensors", tab: "sensor" },
  component: Outlet,
});
const sensorList = createRoute({
  getParentRoute: () => sensorArea,
  id: "list",
  component: lazyPage("SensorsPage", () => import("./sensor/list/SensorsPage.tsx")),
});
const sensorIndex = createRoute({ getParentRoute: () => sensorList, path: "/", staticData: { dialog: true } });
const newSensor = createRoute({
  getParentRoute: () => sensorList,
  path: "/new",
  staticData: { dialog: true },
  component: lazyPage("NewSensorDialog", () => import("./sensor/list/NewSensorDialog.tsx")),
});
const deleteSensor = createRoute({
  getParentRoute: () => sensorList,
  path: "/delete/$id",
  staticData: { dialog: true },
  component: lazyPage("DeleteSensorDialog", () => import("./sensor/list/DeleteSensorDialog.tsx")),
});
const registerSensors = createRoute({
  getParentRoute: () => sensorArea,
  path: "/register",
  staticData: { title: "Register Sensor" },
  component: lazyPage("RegisterVisit", () => import("./claim/RegisterVisit.tsx")),
});
const registerScreens = [
  createRoute({
    getParentRoute: () => registerSensors,
    path: "/",
    component: lazyPage("RegisterSensorsPage", () => import("./claim/RegisterSensorsPage.tsx")),
  }),
  createRoute({
    getParentRoute: () => registerSensors,
    path: "/checkout",
    staticData: noHeader,
    component: lazyPage("CheckoutPage", () => import("./claim/CheckoutPages.tsx")),
  }),
  createRoute({
    getParentRoute: () => registerSensors,
    path: "/success",
    staticData: noHeader,
    component: lazyPage("SuccessPage", () => import("./claim/CheckoutPages.tsx")),
  }),
];
const resolveSensor = lazyPage("SensorResolver", () => import("./sensor/page/SensorResolver.tsx"));
const anySensor = createRoute({ getParentRoute: () => sensorArea, path: "/$id", component: resolveSensor });
const anySensorTab = createRoute({
  getParentRoute: () => sensorArea,
  path: "/$id/$destination",
  component: resolveSensor,
});
const sensorPage = lazyPage("SensorPage", () => import("./sensor/page/SensorPage.tsx"));
const sensorGeneral = lazyPage("SensorGeneralTab", () => import("./sensor/page/SensorGeneralTab.tsx"));
const sensorTabPages: Partial<Record<SensorType, Record<string, ReturnType<typeof lazyPage>>>> = {
  APS: {
    monitoring: lazyPage("SensorMonitoringTab", () => import("./sensor/page/SensorMonitoringTab.tsx")),
    vpn: lazyPage("SensorVpnTab", () => import("./sensor/page/SensorVpnTab.tsx")),
    firmware: lazyPage("SensorFirmwareTab", () => import("./sensor/page/SensorFirmwareTab.tsx")),
  },
};
/** Tabs that a sensor of today can't show: their addresses lead to the general one, as for a tab whose conditions don't hold (spec 2 §4). */
const sensorTabsElsewhere: Record<SensorType, readonly string[]> = {
  APS: ["logs"],
  ZOD: [
    "camera",
    "measurement",
    "group",
    "dataendpoint",
    "dataendpoint/psp",
    "gps",
    "preview-occupancy",
    "preview-cameras",
    "preview-gps",
  ],
  "PS.C1": ["camera", "applications", "dataendpoint", "security", "network", "preview-cameras"],
};
const typedSensors = sensorTypes.map((type) => {
  const page = createRoute({
    getParentRoute: () => sensorArea,
    path: `/${typeSegment(type)}/$id`,
    component: sensorPage,
  });
  const index = createRoute({ getParentRoute: () => page, path: "/", component: resolveSensor });
  const general = createRoute({ getParentRoute: () => page, path: "/general", component: sensorGeneral });
  const elsewhere = sensorTabsElsewhere[type].map((tab) =>
    createRoute({ getParentRoute: () => page, path: `/${tab}`, component: resolveSensor }),
  );
  const tabs = Object.entries(sensorTabPages[type] ?? {}).map(([tab, component]) =>
    createRoute({ getParentRoute: () => page, path: `/${tab}`, component }),
  );
  return page.addChildren([index, general, ...tabs, ...elsewhere]);
});

// --- Locations --------------------------------------------------------------------------------------------------------
const locationArea = createRoute({
  getParentRoute: () => signedIn,
  path: "/location",
  staticData: { title: "Locations", tab: "location" },
  component: Outlet,
});
const locationList = createRoute({
  getParentRoute: () => locationArea,
  id: "list",
  component: lazyPage("LocationsPage", () => import("./location/LocationsPage.tsx")),
});
const locationIndex = createRoute({ getParentRoute: () => locationList, path: "/", staticData: { dialog: true } });
const deleteLocation = createRoute({
  getParentRoute: () => locationList,
  path: "/delete/$id",
  staticData: { dialog: true },
  component: lazyPage("DeleteLocationDialog", () => import("./location/DeleteLocationDialog.tsx")),
});
const newLocation = createRoute({
  getParentRoute: () => locationArea,
  path: "/new",
  staticData: { title: "New Location" },
  component: lazyPage("NewLocationPage", () => import("./location/NewLocationPage.tsx")),
});
const locationPage = createRoute({
  getParentRoute: () => locationArea,
  path: "/$id",
  component: lazyPage("LocationPage", () => import("./location/LocationPage.tsx")),
});
const toLocationGeneral = lazyPage("ToLocationGeneral", () => import("./location/LocationPage.tsx"));
const locationOverview = createRoute({ getParentRoute: () => locationPage, path: "/", component: toLocationGeneral });
const locationTabsElsewhere = [
  "issues",
  "monitoring",
  "apps",
  "apps/occupancy",
  "apps/occupancy/live",
  "apps/occupancy/link",
].map((tab) => createRoute({ getParentRoute: () => locationPage, path: `/${tab}`, component: toLocationGeneral }));
const locationGeneral = createRoute({
  getParentRoute: () => locationPage,
  path: "/general",
  component: lazyPage("LocationGeneralTab", () => import("./location/LocationGeneralTab.tsx")),
});

// --- Init tokens ------------------------------------------------------------------------------------------------------
const initTokens = createRoute({
  getParentRoute: () => signedIn,
  path: "/init-token",
  staticData: { title: "Init Tokens", tab: "init-token" },
  component: lazyPage("InitTokensPage", () => import("./init-token/InitTokensPage.tsx")),
});
const initTokenDialogs = [
  createRoute({ getParentRoute: () => initTokens, path: "/", staticData: { dialog: true } }),
  createRoute({
    getParentRoute: () => initTokens,
    path: "/new",
    staticData: { dialog: true },
    component: lazyPage("NewInitTokenDialog", () => import("./init-token/InitTokenDialogs.tsx")),
  }),
  createRoute({
    getParentRoute: () => initTokens,
    path: "/$id",
    staticData: { dialog: true },
    component: lazyPage("EditInitTokenDialog", () => import("./init-token/InitTokenDialogs.tsx")),
  }),
  createRoute({
    getParentRoute: () => initTokens,
    path: "/delete/$id",
    staticData: { dialog: true },
    component: lazyPage("DeleteInitTokenDialog", () => import("./init-token/DeleteInitTokenDialog.tsx")),
  }),
];

// --- Firmware, accounts, roles, my account ----------------------------------------------------------------------------
const firmware = createRoute({
  getParentRoute: () => signedIn,
  path: "/firmware",
  staticData: { title: "Firmware", tab: "firmware" },
  component: lazyPage("FirmwarePage", () => import("./firmware/FirmwarePage.tsx")),
});
const firmwareDialogs = [
  createRoute({ getParentRoute: () => firmware, path: "/", staticData: { dialog: true } }),
  createRoute({
    getParentRoute: () => firmware,
    path: "/new",
    staticData: { dialog: true },
    component: lazyPage("NewFirmwareDialog", () => import("./firmware/NewFirmwareDialog.tsx")),
  }),
  createRoute({
    getParentRoute: () => firmware,
    path: "/$id",
    staticData: { dialog: true },
    component: lazyPage("EditFirmwareDialog", () => import("./firmware/EditFirmwareDialog.tsx")),
  }),
  createRoute({
    getParentRoute: () => firmware,
    path: "/delete/$id",
    staticData: { dialog: true },
    component: lazyPage("DeleteFirmwareDialog", () => import("./firmware/DeleteFirmwareDialog.tsx")),
  }),
];
const accounts = createRoute({
  getParentRoute: () => signedIn,
  path: "/account",
  staticData: { title: "Accounts", tab: "account" },
  component: lazyPage("AccountsPage", () => import("./account/list/AccountsPage.tsx")),
});
const accountDialogs = [
  createRoute({ getParentRoute: () => accounts, path: "/", staticData: { dialog: true } }),
  createRoute({
    getParentRoute: () => accounts,
    path: "/new",
    staticData: { dialog: true },
    component: lazyPage("NewAccountDialog", () => import("./account/form/NewAccountDialog.tsx")),
  }),
  createRoute({
    getParentRoute: () => accounts,
    path: "/import",
    staticData: { dialog: true },
    component: lazyPage("ImportAccountsDialog", () => import("./account/import/ImportAccountsDialog.tsx")),
  }),
  createRoute({
    getParentRoute: () => accounts,
    path: "/$id",
    staticData: { dialog: true },
    component: lazyPage("EditAccountDialog", () => import("./account/form/EditAccountDialog.tsx")),
  }),
  createRoute({
    getParentRoute: () => accounts,
    path: "/delete/$id",
    staticData: { dialog: true },
    component: lazyPage("DeleteAccountDialog", () => import("./account/form/DeleteAccountDialog.tsx")),
  }),
  createRoute({
    getParentRoute: () => accounts,
    path: "/review/$id",
    staticData: { dialog: true },
    component: lazyPage("ReviewAccountDialog", () => import("./account/form/ReviewAccountDialog.tsx")),
  }),
];
const roles = createRoute({
  getParentRoute: () => signedIn,
  path: "/role",
  staticData: { title: "Roles", tab: "role" },
  component: lazyPage("RolesPage", () => import("./role/RolesPage.tsx")),
});
const roleDialogs = [
  createRoute({ getParentRoute: () => roles, path: "/", staticData: { dialog: true } }),
  createRoute({
    getParentRoute: () => roles,
    path: "/new",
    staticData: { dialog: true },
    component: lazyPage("NewRoleDialog", () => import("./role/NewRoleDialog.tsx")),
  }),
  createRoute({
    getParentRoute: () => roles,
    path: "/$id",
    staticData: { dialog: true },
    component: lazyPage("EditRoleDialog", () => import("./role/EditRoleDialog.tsx")),
  }),
  createRoute({
    getParentRoute: () => roles,
    path: "/delete/$id",
    staticData: { dialog: true },
    component: lazyPage("DeleteRoleDialog", () => import("./role/DeleteRoleDialog.tsx")),
  }),
];
const myAccount = createRoute({
  getParentRoute: () => signedIn,
  path: "/myaccount",
  staticData: { title: "My account" },
  component: lazyPage("MyAccountPage", () => import("./account/own/MyAccountPage.tsx")),
});
const myAccountDialogs = [
  createRoute({ getParentRoute: () => myAccount, path: "/", staticData: { dialog: true } }),
  createRoute({
    getParentRoute: () => myAccount,
    path: "/delete/$id",
    staticData: { dialog: true },
    component: lazyPage("CloseAccountDialog", () => import("./account/own/CloseAccountDialog.tsx")),
  }),
];

const routeTree = root.addChildren([
  login,
  forgotPassword,
  resetPassword,
  signUp,
  registration,
  verification,
  ...legal,
  signedIn.addChildren([
    home,
    dashboardGate.addChildren([dashboard]),
    sensorArea.addChildren([
      sensorList.addChildren([sensorIndex, newSensor, deleteSensor]),
      registerSensors.addChildren(registerScreens),
      ...typedSensors,
      anySensor,
      anySensorTab,
    ]),
    locationArea.addChildren([
      locationList.addChildren([locationIndex, deleteLocation]),
      newLocation,
      locationPage.addChildren([locationOverview, locationGeneral, ...locationTabsElsewhere]),
    ]),
    initTokens.addChildren(initTokenDialogs),
    firmware.addChildren(firmwareDialogs),
    accounts.addChildren(accountDialogs),
    roles.addChildren(roleDialogs),
    myAccount.addChildren(myAccountDialogs),
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
