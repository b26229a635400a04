// Which sections and previews the page of each type of sensor has, in the order of its menu.
import type { SensorType } from "../device/sensor-type.ts";
import { dataendpoint } from "./dataendpoint.ts";
import type { Section } from "./field.ts";
import { applications } from "./psc1/applications.ts";
import { camera as ceilingCamera } from "./psc1/camera.ts";
import { network } from "./psc1/network.ts";
import { security } from "./psc1/security.ts";
import { camera as coachCamera } from "./zod/camera.ts";
import { gps } from "./zod/gps.ts";
import { group } from "./zod/group.ts";
import { measurement } from "./zod/measurement.ts";
import { psp } from "./zod/psp.ts";

/** An APS has none: its own page configures it. */
export const sectionsOf: Record<SensorType, readonly Section[]> = {
  APS: [],
  ZOD: [coachCamera, measurement, group, dataendpoint, psp, gps],
  "PS.C1": [ceilingCamera, applications, dataendpoint, security, network],
};

/** The section of a type; null where that type has none of this name. */
export function sectionOf(type: SensorType, key: string): Section | null {
  return sectionsOf[type].find((section) => section.key === key) ?? null;
}

/** A live view of the sensor. `pages` are the ends of the addresses below it, where it has several; the first is the start. */
export type PreviewPage = {
  kind: PreviewKind;
  segment: string;
  label: string;
  pages?: readonly { segment: string; label: string }[];
  /** How often it is asked for while it is looked at. */
  everyMs: number;
};
export const previewKinds = ["cameras", "occupancy", "gps"] as const;
export type PreviewKind = (typeof previewKinds)[number];

const cameras: PreviewPage = {
  kind: "cameras",
  segment: "preview-cameras",
  label: "Preview cameras",
  everyMs: 2000,
};
const occupancy: PreviewPage = {
  kind: "occupancy",
  segment: "preview-occupancy",
  label: "Preview occupancy",
  pages: [
    { segment: "coach", label: "Coach" },
    { segment: "cameras", label: "Cameras" },
    { segment: "levels", label: "Levels" },
    { segment: "sections", label: "Sections" },
  ],
  everyMs: 2000,
};
const position: PreviewPage = { kind: "gps", segment: "preview-gps", label: "Preview GPS", everyMs: 5000 };

export const previewsOf: Record<SensorType, readonly PreviewPage[]> = {
  APS: [],
  ZOD: [occupancy, cameras, position],
  "PS.C1": [cameras],
};
