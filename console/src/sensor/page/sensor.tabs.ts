// Which pages a sensor has in its left menu, which of them are off, and why (SE-05, spec 2 §2, §5).
import type { SensorType } from "@psp/contract/sensor/sensor-type.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { sensorPageText as text } from "../sensor-page.text.ts";

export type SensorTabKey = "general" | "monitoring" | "vpn" | "firmware" | "logs";
export type SensorTab = {
  key: SensorTabKey;
  label: string;
  group: "configuration" | "maintenance";
  /** Why it is off; undefined when it can be opened. */
  reason: string | undefined;
};

/** Pages of a type that are there to be opened; every other address leads to General (decisions 14). */
const opened: Record<SensorType, readonly SensorTabKey[]> = {
  APS: ["general", "monitoring", "vpn", "firmware"],
  ZOD: ["general"],
  "PS.C1": ["general"],
};

function monitoringReason({ licenses, measurement }: Sensor): string | undefined {
  if (!licenses.monitoring) return text.monitoringUnlicensed;
  return measurement === null ? text.monitoringUnplaced : undefined;
}

/** The menu of a sensor's pages, in order; entries that don't apply at all are left out. */
export function sensorTabs(sensor: Sensor): SensorTab[] {
  const general: SensorTab = { key: "general", label: text.general, group: "configuration", reason: undefined };
  if (sensor.type !== "APS") return [general];
  const hasVpn = sensor.vpn?.enabledOnSensor === true;
  const tabs: (SensorTab & { applies: boolean })[] = [
    { ...general, applies: true },
    {
      key: "monitoring",
      label: text.monitoring,
      group: "configuration",
      reason: monitoringReason(sensor),
      applies: true,
    },
    { key: "vpn", label: text.vpn, group: "configuration", reason: hasVpn ? undefined : text.vpnOff, applies: true },
    {
      key: "firmware",
      label: text.firmware,
      group: "configuration",
      reason: undefined,
      applies: hasVpn || sensor.psconnect !== null,
    },
    {
      key: "logs",
      label: text.logs,
      group: "maintenance",
      reason: sensor.types.includes("monitoringStatus") ? undefined : text.noLogs,
      applies: true,
    },
  ];
  return tabs.filter(({ applies }) => applies).map(({ applies: _applies, ...tab }) => tab);
}

/** The page that a destination leads to: itself while it can be opened, else General. */
export function openTab(sensor: Sensor, destination: string): SensorTabKey {
  const tab = sensorTabs(sensor).find(({ key, reason }) => key === destination && reason === undefined);
  return tab !== undefined && opened[sensor.type].includes(tab.key) ? tab.key : "general";
}
