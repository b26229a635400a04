// Effects of sections on the sensor: count interval, lines, and connection.
import type { Profile } from "../counting/tally.ts";
import type { SectionState } from "../device/section-state.ts";
import type { DesiredConfig, Sensor } from "../device/sensor-state.ts";
import type { Broker } from "../link/link.ts";
import { parseHostAndPort } from "./address.ts";
import { isValues } from "./field.ts";
import type { ApplicationValues } from "./psc1.ts";
import { activeValues } from "./sections.ts";

export function intervalOf({ sections: { held } }: Sensor): DesiredConfig["countIntervalS"] | null {
  const { measurement, applications } = held;
  const counting = applications?.values["counting"];
  const at = isValues(counting) ? counting : measurement?.values;
  return (at?.["intervalS"] as DesiredConfig["countIntervalS"] | undefined) ?? null;
}

/** Stores a count interval ordered by the cloud; increments the revision only if it changed. */
export function applyCloudInterval({ sections: { held } }: Sensor, intervalS: number): void {
  const { measurement, applications } = held;
  if (measurement && measurement.values["intervalS"] !== intervalS) {
    measurement.values = { ...measurement.values, intervalS };
    measurement.rev++;
  }
  const counting = applications?.values["counting"];
  if (!applications || !isValues(counting) || counting["intervalS"] === intervalS) return;
  applications.values = { ...applications.values, counting: { ...counting, intervalS } };
  applications.rev++;
}

/**
 * Applies configured lines to the profile: existing lines keep their share of people, new ones get an equal share. If
 * no line is configured, the old ones remain.
 */
export function withLines(profile: Profile, sections: SectionState | undefined): Profile {
  const { lines = [] } = (sections?.held["applications"]?.values ?? {}) as Partial<ApplicationValues>;
  const isSame =
    lines.length === profile.lines.length &&
    lines.every(({ id, name }, index) => profile.lines[index]?.id === id && profile.lines[index]?.name === name);
  if (lines.length === 0 || isSame) return profile;
  const shareOf = (id: string): number => profile.lines.find((line) => line.id === id)?.share ?? 1 / lines.length;
  const sum = lines.reduce((all, { id }) => all + shareOf(id), 0);
  return { ...profile, lines: lines.map(({ id, name }) => ({ id, name, share: shareOf(id) / sum })) };
}

/** The configured server address, or the initial one. */
export function brokerOf(sensor: Sensor): Broker | null {
  const set = parseHostAndPort(activeValues(sensor, "psp")["broker"]);
  return set && sensor.broker ? { ...sensor.broker, ...set } : sensor.broker;
}

export function wantsTunnel(sensor: Sensor): boolean {
  if (sensor.type === "APS") return sensor.offersTunnel;
  return activeValues(sensor, sensor.type === "ZOD" ? "psp" : "security")["psconnect"] === true;
}

export function recordsPosition(sensor: Sensor): boolean {
  return activeValues(sensor, "gps")["enabled"] === true;
}
