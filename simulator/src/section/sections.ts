// The sections by type of sensor, and the values of each as they are.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { type Held, inForce, type Values } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import type { Section } from "./definition.ts";
import { psc1Sections } from "./psc1.ts";
import { zodSections } from "./zod.ts";

const sectionsOf: Record<SensorType, Record<string, Section>> = { APS: {}, "PS.C1": psc1Sections, ZOD: zodSections };

export const hasSections = ({ type }: Sensor): boolean => Object.keys(sectionsOf[type]).length > 0;

/** The section of this type of sensor; null when it has none of that name. */
export function findSection({ type }: Sensor, name: string): Section | null {
  const sections = sectionsOf[type];
  return Object.hasOwn(sections, name) ? (sections[name] ?? null) : null;
}

/** What is kept of a section: what was set, or its defaults. */
export function heldOf(sensor: Sensor, name: string): Held {
  const { held } = sensor.sections;
  const values = (): Values => findSection(sensor, name)?.defaults(sensor) ?? {};
  return held[name] ?? { rev: 1, values: values() };
}

/** The values that run now; a sensor without the section has none. */
export function valuesInForce(sensor: Sensor, name: string): Values {
  return inForce(sensor.sections, name) ?? findSection(sensor, name)?.defaults(sensor) ?? {};
}

/** Calls `act` for the values of each section that was set. */
export function forEachHeld({ sections }: Sensor, act: (held: Held) => void): void {
  for (const held of Object.values(sections.held)) act(held);
}
