// Words of the shell: header, menus, banner.
import { version } from "../../package.json";

export const appText = {
  name: "PS.Platform",
  skip: "Skip to content",
  apps: "Apps",
  appsTitle: "Applications",
  noApps: "No other applications are configured.",
  menu: "Menu",
  closeMenu: "Close",
  login: "Login",
  accountMenu: "Account menu",
  accountInfo: "Account Info",
  logout: "Logout",
  noRole: "No role",
  theme: { light: "Light theme", dark: "Dark theme", system: "System theme" },
  density: { comfortable: "Comfortable rows", compact: "Compact rows" },
  version: `PS.P_v${version}`,
  copyright: (year: number, operator: string) => `© ${year} ${operator}`,
  imprint: "Imprint",
  privacy: "Privacy",
  licenses: "Licenses",
  tabs: {
    dashboard: "Dashboard",
    location: "Locations",
    sensor: "Sensors",
    "init-token": "Init Tokens",
    firmware: "Firmware",
    account: "Accounts",
    role: "Roles",
    support: "Support",
  },
  /** Verbatim (spec 1 §2). */
  dashboardDenied: "Purchase a sensor monitoring license for at least 1 sensor to enable the dashboard", // spec
  siblings: { export: "Export", buildings: "Buildings", designer: "Designer" },
  /** Verbatim (spec 1 §2). */
  connectionLost: "No connection to server", // spec
  connectionLostMore: "Trying again every few seconds. What you see may be out of date.",
  unreachable: "The server can't be reached. This page tries again by itself.",
  tryAgain: "Try again",
  newSensor: "New sensor",
  searchTitle: "Go to",
  shortcuts: "Keyboard shortcuts",
} as const;
