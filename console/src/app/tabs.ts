// Decides which areas the header shows, by the same permission rules as the server (SH-04, PE-02).
import { type Actor, canViewAnyAccount, canViewType, homePage } from "@psp/contract/permission/can.ts";
import type { AreaId } from "../address/page-routes.ts";
import { config } from "../api/config.ts";
import { paths } from "../address/paths.ts";
import { appText } from "./app.text.ts";

export type TabId = AreaId | "support";

export type Tab = {
  id: TabId;
  label: string;
  href: string;
  external?: boolean;
  disabledReason?: string | undefined;
};

/** Facts that don't follow from the role. */
export type TabFacts = { hasLicense: boolean; mayCreateToken: boolean };

const address: Record<ReturnType<typeof homePage>, string> = {
  locations: paths.locations,
  sensor: paths.sensors,
  firmware: paths.firmware,
  account: paths.accounts,
  role: paths.roles,
  myaccount: paths.myAccount,
};

/** The first page the account may see (SH-07). */
export function homePath(actor: Actor): string {
  return address[homePage(actor)];
}

export function tabsOf(actor: Actor, facts: TabFacts): Tab[] {
  const label = appText.tabs;
  const tabs: (Tab | false)[] = [
    {
      id: "dashboard",
      label: label.dashboard,
      href: paths.dashboard,
      disabledReason: facts.hasLicense ? undefined : appText.dashboardDenied,
    },
    canViewType(actor, "measurement") && { id: "location", label: label.location, href: paths.locations },
    canViewType(actor, "sensor") && { id: "sensor", label: label.sensor, href: paths.sensors },
    facts.mayCreateToken && { id: "init-token", label: label["init-token"], href: paths.initTokens },
    canViewType(actor, "artifact") && { id: "firmware", label: label.firmware, href: paths.firmware },
    canViewAnyAccount(actor) && { id: "account", label: label.account, href: paths.accounts },
    canViewType(actor, "role") && { id: "role", label: label.role, href: paths.roles },
    config.links.support !== null && {
      id: "support",
      label: label.support,
      href: config.links.support,
      external: true,
    },
  ];
  return tabs.filter((tab) => tab !== false);
}
