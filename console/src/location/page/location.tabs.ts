// Which pages a location has in its left menu, which of them are off, and why (LO-03).
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { call } from "../../api/call.ts";
import { pageOf } from "../../api/listed.ts";
import { locationText as text } from "../location.text.ts";

type TabKey = "counts" | "general" | "monitoring" | "apps" | "issues" | "history";

export type LocationTab = {
  key: TabKey;
  label: string;
  group: "configuration" | "applications" | "maintenance";
  /** Why it is off; undefined when it can be opened. */
  reason?: string | undefined;
};

/** How many of the location's sensors match; undefined while that is being asked. */
function useSensorCount(id: string, filter: { monitored: "true" }): number | undefined {
  const query = { measID: id, ...filter, limit: "1", includeTotals: "true" } as const;
  const { data, isError } = useQuery({
    queryKey: ["sensor", "list", "count", query],
    queryFn: async ({ signal }) => pageOf<Sensor>(await call(listSensors, { query, signal })).total,
  });
  return isError ? 0 : data;
}

/** Whether one sensor of the location at least has the monitoring license. */
export function useMonitored(id: string): boolean | undefined {
  const count = useSensorCount(id, { monitored: "true" });
  return count === undefined ? undefined : count > 0;
}

/** The menu in its order; null for a location that does not exist yet. */
export function locationTabs(location: Location | null, isMonitored: boolean): LocationTab[] {
  const later = location === null ? text.onceCreated : undefined;
  const hasLogs = location?.types.includes("monitoringStatus") === true;
  return [
    { key: "counts", label: text.counts, group: "configuration", reason: later },
    { key: "general", label: text.general, group: "configuration" },
    {
      key: "monitoring",
      label: text.monitoring,
      group: "configuration",
      reason: isMonitored ? later : text.monitoringOff,
    },
    { key: "apps", label: text.occupancyApps, group: "applications", reason: later },
    { key: "issues", label: text.logs, group: "maintenance", reason: later ?? (hasLogs ? undefined : text.noLogs) },
    { key: "history", label: text.history, group: "maintenance", reason: later },
  ];
}

const groups = ["configuration", "applications", "maintenance"] as const;

/** The menu's groups as the page shows them; `current` is the path of the open one. */
export function locationMenu(tabs: readonly LocationTab[], id: string, current: string) {
  return groups.map((group) => ({
    title: text[group],
    entries: tabs
      .filter((tab) => tab.group === group)
      .map(({ key, label, reason }) => ({ label, reason, path: paths.locationTab(id, key), current: key === current })),
  }));
}
