// Menu of a sensor's pages, with reasons for disabled entries (SE-05, SE-06, SE-07).
import { previewsOf, sectionsOf } from "@psp/contract/section/sections.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { sensorPageText as text } from "../sensor-page.text.ts";

export type SensorTab = {
  /** URL path below the sensor. */
  key: string;
  label: string;
  group: "counts" | "configuration" | "preview" | "maintenance";
  reason?: string | undefined;
};

function monitoringReason({ licenses, measurement }: Sensor): string | undefined {
  if (!licenses.monitoring) return text.monitoringUnlicensed;
  return measurement === null ? text.monitoringUnplaced : undefined;
}

/** Tabs in menu order, without those that don't apply to the sensor. */
export function sensorTabs(sensor: Sensor): SensorTab[] {
  const configuration = (key: SensorTab["key"], label: string, reason?: string): SensorTab => ({
    key,
    label,
    group: "configuration",
    reason,
  });
  const counts: SensorTab = { key: "counts", label: text.counts, group: "counts" };
  const first = [counts, configuration("general", text.general)];
  const history: SensorTab = { key: "history", label: text.history, group: "maintenance" };
  // Empty for an APS, which has its own device page instead.
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

export function resolveTab(sensor: Sensor, destination: string): SensorTab["key"] {
  const tab = sensorTabs(sensor).find(({ key, reason }) => key === destination && reason === undefined);
  return tab?.key ?? "general";
}

/** `/sensor/zod/{id}/dataendpoint/psp` → `dataendpoint/psp`. */
export const tabFromPath = (path: string): string => path.split("/").slice(4).join("/").replace(/\/$/, "");
