// Tabs of a location, and why some are disabled (LO-03).
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { call } from "../../api/call.ts";
import { toListResult } from "../../api/listed.ts";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { locationText as text } from "../location.text.ts";

type TabKey = "counts" | "sales" | "general" | "monitoring" | "apps" | "issues" | "history";

export type LocationTab = {
  key: TabKey;
  label: string;
  group: "counts" | "configuration" | "applications" | "maintenance";
  reason?: string | undefined;
};

function useSensorCount(id: string, filter: { monitored: "true" }): number | undefined {
  const query = { measID: id, ...filter, limit: "1", includeTotals: "true" } as const;
  const { data, isError } = useQuery({
    queryKey: ["sensor", "list", "count", query],
    queryFn: async ({ signal }) => toListResult<Sensor>(await call(listSensors, { query, signal })).total,
  });
  return isError ? 0 : data;
}

/** Whether at least one sensor of the location has the monitoring license. */
export function useIsMonitored(id: string): boolean | undefined {
  const count = useSensorCount(id, { monitored: "true" });
  return count === undefined ? undefined : count > 0;
}

/** Whether the user may edit the location; undefined while unknown. */
export function useMayEdit(location: Location | undefined): boolean | undefined {
  const can = useCan();
  const ownerId = location?.owner._id;
  const { ownerOf, ready } = useOwners(ownerId === undefined ? [] : [ownerId]);
  return ready && ownerId !== undefined ? can.edit("measurement", ownerOf(ownerId)) : undefined;
}

/** Tabs in menu order. `location` is null until it is created. */
export function locationTabs(location: Location | null, isMonitored: boolean, mayEdit: boolean): LocationTab[] {
  const later = location === null ? text.onceCreated : undefined;
  const hasLogs = location?.types.includes("monitoringStatus") === true;
  return [
    { key: "counts", label: text.counts, group: "counts", reason: later },
    // Sales are business secrets, so others don't see the entry.
    ...(mayEdit ? [{ key: "sales", label: text.sales, group: "counts", reason: later } as const] : []),
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

const groups = ["counts", "configuration", "applications", "maintenance"] as const;

export function locationMenu(tabs: readonly LocationTab[], id: string, current: string) {
  return groups.map((group) => ({
    // Counts come first, above the titled groups.
    ...(group === "counts" ? {} : { title: text[group] }),
    entries: tabs
      .filter((tab) => tab.group === group)
      .map(({ key, label, reason }) => ({ label, reason, path: paths.locationTab(id, key), current: key === current })),
  }));
}
