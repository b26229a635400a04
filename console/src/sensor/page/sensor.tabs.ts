// The menu entries of a sensor's page, which of them are disabled, and why (SE-05, SE-06, SE-07).
import { previewsOf, sectionsOf } from "@psp/contract/section/sections.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { sensorPageText as text } from "../sensor-page.text.ts";

export type SensorTab = {
  /** The end of its address. */
  key: string;
  label: string;
  group: "configuration" | "preview" | "maintenance";
  /** Why it is off; undefined when it can be opened. */
  reason?: string | undefined;
};

function monitoringReason({ licenses, measurement }: Sensor): string | undefined {
  if (!licenses.monitoring) return text.monitoringUnlicensed;
  return measurement === null ? text.monitoringUnplaced : undefined;
}

/** The menu of a sensor's pages, in order; entries that don't apply at all are left out. */
export function sensorTabs(sensor: Sensor): SensorTab[] {
  const configuration = (key: SensorTab["key"], label: string, reason?: string): SensorTab => ({
    key,
    label,
    group: "configuration",
    reason,
  });
  const first = [configuration("counts", text.counts), configuration("general", text.general)];
  const history: SensorTab = { key: "history", label: text.history, group: "maintenance" };
  // What the type is configured with, and what it sees; an APS has a page of its own for that.
  const sections = sectionsOf[sensor.type].map(({ segment, label }) => configuration(segment, label));
  const previews = previewsOf[sensor.type].map(({ segment, label }): SensorTab => ({
    key: segment,
    label,
    group: "preview",
  }));
  if (sensor.type !== "APS") return [...first, ...sections, ...previews, history];
  const hasVpn = sensor.vpn?.enabledOnSensor === true;
  const noLogs = sensor.types.includes("monitoringStatus") ? undefined : text.noLogs;
  return [
    ...first,
    configuration("monitoring", text.monitoring, monitoringReason(sensor)),
    configuration("vpn", text.vpn, hasVpn ? undefined : text.vpnOff),
    ...(hasVpn || sensor.psconnect !== null ? [configuration("firmware", text.firmware)] : []),
    { key: "logs", label: text.logs, group: "maintenance", reason: noLogs },
    history,
  ];
}

/** The page that a destination leads to: itself while it can be opened, else General. */
export function openTab(sensor: Sensor, destination: string): SensorTab["key"] {
  const tab = sensorTabs(sensor).find(({ key, reason }) => key === destination && reason === undefined);
  return tab?.key ?? "general";
}

/** The tab of an address of a sensor's page: `/sensor/zod/{id}/dataendpoint/psp` is `dataendpoint/psp`. */
export const tabIn = (path: string): string => path.split("/").slice(4).join("/").replace(/\/$/, "");
