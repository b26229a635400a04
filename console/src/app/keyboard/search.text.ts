// Texts of the search. Apart from app.text.ts, which the login loads.
import { formatCount } from "../../ui/text/numbers.ts";
export const searchText = {
  title: "Search",
  placeholder: "Name, sensor ID or action",
  keys: (isMac: boolean) => (isMac ? "⌘ K" : "Ctrl K"),
  groups: {
    recent: "Recently opened",
    pages: "Pages",
    actions: "Actions",
    sensor: "Sensors",
    measurement: "Locations",
    account: "Accounts",
    role: "Roles",
    artifact: "Firmware",
  },
  hints: { of: (owner: string) => `of ${owner}` },
  actions: {
    register: "Register sensors",
    createLocation: "Create location",
    compareCounts: "Compare counts", // fixed
    reports: "Reports",
    invite: "Invite a colleague",
    createAccount: "Create account",
    importAccounts: "Import accounts",
    createRole: "Create role",
    createFirmware: "Create firmware",
    createToken: "Create init token",
    logout: "Log out",
  },
  searching: "Searching …",
  failed: "Search failed",
  tryAgain: "Try again",
  nothing: (text: string) => `Nothing found for “${text}”. You can also go to`,
  results: (n: number) => formatCount(n, "result"),
} as const;
