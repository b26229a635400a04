// Sections by sensor type, and their current values.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { type StoredSection, findActiveValues, type SectionValues } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import type { Section } from "./definition.ts";
import { psc1Sections } from "./psc1.ts";
import { zodSections } from "./zod.ts";

const sectionsOf: Record<SensorType, Record<string, Section>> = { APS: {}, "PS.C1": psc1Sections, ZOD: zodSections };

export const hasSections = ({ type }: Sensor): boolean => Object.keys(sectionsOf[type]).length > 0;

export function findSection({ type }: Sensor, name: string): Section | null {
  const sections = sectionsOf[type];
  return Object.hasOwn(sections, name) ? (sections[name] ?? null) : null;
}

/** The stored section, or its defaults with revision 1. */
export function storedSectionOf(sensor: Sensor, name: string): StoredSection {
  const { held } = sensor.sections;
  const values = (): SectionValues => findSection(sensor, name)?.defaults(sensor) ?? {};
  return held[name] ?? { rev: 1, values: values() };
}

/** Values currently in effect; empty if the sensor has no such section. */
export function activeValues(sensor: Sensor, name: string): SectionValues {
  return findActiveValues(sensor.sections, name) ?? findSection(sensor, name)?.defaults(sensor) ?? {};
}

export function forEachStoredSection({ sections }: Sensor, act: (held: StoredSection) => void): void {
  for (const held of Object.values(sections.held)) act(held);
}
