// Pages and permitted actions offered by the command palette.
import { canViewType } from "@psp/contract/permission/can.ts";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useSession } from "../../api/session/session.tsx";
import { useCan, useMayCreate } from "../../api/session/useCan.ts";
import { useThemeMode } from "../../ui/theme/AppTheme.tsx";
import { useDensity } from "../../ui/theme/density.tsx";
import { useVehicleTotal } from "../../vehicle/vehicle.queries.ts";
import { vehicleText } from "../../vehicle/vehicle.text.ts";
import { vehiclesPath } from "../../vehicle/vehicles-path.ts";
import { appText } from "../app.text.ts";
import { searchText } from "./search.text.ts";
import { issuesTitle } from "../../monitoring/issue-count.ts";
import { useTabs } from "../Header.tsx";

export type Command = {
  id: string;
  group: string;
  label: string;
  hint?: string | undefined;
  run: () => void;
  keepsOpen?: true;
};

const { groups, actions } = searchText;

export function useCommands(onShortcuts: () => void): Command[] {
  const go = useGo();
  const tabs = useTabs();
  const can = useCan();
  const hasVehicles = (useVehicleTotal() ?? 0) > 0;
  const { logout } = useSession();
  const { mode, setMode } = useThemeMode();
  const { density, setDensity } = useDensity();
  const may = {
    location: useMayCreate("measurement") === true,
    sensor: useMayCreate("sensor") === true,
    firmware: useMayCreate("artifact") === true,
    role: useMayCreate("role") === true,
  };
  const to = (group: string, label: string, path: string): Command => ({
    id: `${group} ${label}`,
    group,
    label,
    run: () => go(path, { query: "none" }),
  });
  const act = (label: string, run: () => void): Command => ({
    id: `action ${label}`,
    group: groups.actions,
    label,
    run,
  });
  const goes = (allowed: boolean, label: string, path: string) => (allowed ? [to(groups.actions, label, path)] : []);
  return [
    ...tabs
      .filter((tab) => tab.external !== true && tab.disabledReason === undefined)
      .map((tab) => to(groups.pages, tab.label, tab.href)),
    ...(can.viewAnyAccount() ? [to(groups.pages, appText.customers, paths.customers)] : []),
    ...(canViewType(can.actor, "sensor") ? [to(groups.pages, issuesTitle, paths.issues)] : []),
    ...(hasVehicles ? [to(groups.pages, vehicleText.title, vehiclesPath)] : []),
    to(groups.pages, appText.accountInfo, paths.myAccount),
    ...goes(can.claim(), actions.register, paths.registerSensors),
    ...goes(may.sensor, appText.newSensor, paths.newSensor),
    ...goes(may.location, actions.createLocation, paths.newLocation),
    ...goes(canViewType(can.actor, "measurement"), actions.compareCounts, paths.compareCounts),
    ...goes(canViewType(can.actor, "measurement"), actions.reports, paths.reports),
    ...goes(can.invite(), actions.invite, paths.inviteColleague),
    ...goes(can.createAccount(), actions.createAccount, paths.newAccount),
    ...goes(can.createAccount(), actions.importAccounts, paths.importAccounts),
    ...goes(may.role, actions.createRole, paths.newRole),
    ...goes(may.firmware, actions.createFirmware, paths.newFirmware),
    ...goes(may.sensor, actions.createToken, paths.newInitToken),
    ...(["light", "dark", "system"] as const)
      .filter((one) => one !== mode)
      .map((one) => act(appText.theme[one], () => setMode(one))),
    ...(["comfortable", "compact"] as const)
      .filter((one) => one !== density)
      .map((one) => act(appText.density[one], () => setDensity(one))),
    act(appText.shortcuts, onShortcuts),
    act(actions.logout, logout),
  ];
}
