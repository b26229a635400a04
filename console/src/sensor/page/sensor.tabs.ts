// Which pages a sensor has in its left menu, which of them are off, and why (SE-05, spec 2 §2, §5).
import { type PreviewKind, previewsOf } from "@psp/contract/section/sections.ts";
import type { SensorType } from "@psp/contract/sensor/sensor-type.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { sensorPageText as text } from "../sensor-page.text.ts";

export type SensorTab = {
  key: "counts" | "general" | "monitoring" | "vpn" | "firmware" | "logs" | "history" | `preview-${PreviewKind}`;
  label: string;
  group: "configuration" | "preview" | "maintenance";
  /** Why it is off; undefined when it can be opened. */
  reason?: string | undefined;
};

/** Pages of a type that exist in this console; every other address leads to General (decisions 14). */
const opened: Record<SensorType, readonly SensorTab["key"][]> = {
  APS: ["counts", "general", "monitoring", "vpn", "firmware", "logs", "history"],
  ZOD: ["counts", "general", "preview-occupancy", "preview-cameras", "preview-gps", "history"],
  "PS.C1": ["counts", "general", "preview-cameras", "history"],
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
  const previews = previewsOf[sensor.type].map(({ kind, label }): SensorTab => ({
    key: `preview-${kind}`,
    label,
    group: "preview",
  }));
  if (sensor.type !== "APS") return [...first, ...previews, history];
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
  return tab !== undefined && opened[sensor.type].includes(tab.key) ? tab.key : "general";
}
