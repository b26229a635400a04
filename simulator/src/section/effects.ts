// What the sections mean for the rest of the sensor: how it counts, which lines it has, how it reaches the platform.
import type { Profile } from "../counting/tally.ts";
import type { SectionState } from "../device/section-state.ts";
import type { Cfg, Sensor } from "../device/sensor-state.ts";
import type { Broker } from "../link/link.ts";
import { parseHostAndPort } from "./address.ts";
import { isValues } from "./field.ts";
import type { ApplicationValues } from "./psc1.ts";
import { valuesInForce } from "./sections.ts";

/** The count interval that was set on the device; null when none was. */
export function intervalOf({ sections: { held } }: Sensor): Cfg["countIntervalS"] | null {
  const { measurement, applications } = held;
  const counting = applications?.values["counting"];
  const at = isValues(counting) ? counting : measurement?.values;
  return (at?.["intervalS"] as Cfg["countIntervalS"] | undefined) ?? null;
}

/** The cloud ordered a count interval: the device's own setting is now that. Its revision goes up only if it was another one. */
export function orderInterval({ sections: { held } }: Sensor, intervalS: number): void {
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
 * The profile with the lines that were drawn: those that were there before keep their share of the people, and new ones get
 * an equal one. A sensor on which no line is left keeps those that it had.
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

/** Where the sensor reports to: the server address that was set, or the one that it came with. */
export function brokerOf(sensor: Sensor): Broker | null {
  const set = parseHostAndPort(valuesInForce(sensor, "psp")["broker"]);
  return set && sensor.broker ? { ...sensor.broker, ...set } : sensor.broker;
}

/** True when the sensor wants a tunnel. */
export function wantsTunnel(sensor: Sensor): boolean {
  if (sensor.type === "APS") return sensor.offersTunnel;
  return valuesInForce(sensor, sensor.type === "ZOD" ? "psp" : "security")["psconnect"] === true;
}

export function recordsPosition(sensor: Sensor): boolean {
  return valuesInForce(sensor, "gps")["enabled"] === true;
}
