// Sections and previews of each sensor type, in menu order.
import type { SensorType } from "../device/sensor-type.ts";
import { dataEndpointSection } from "./dataendpoint.ts";
import type { Section } from "./field.ts";
import { applicationsSection } from "./psc1/applications.ts";
import { cameraSection as ceilingCamera } from "./psc1/camera.ts";
import { networkSection } from "./psc1/network.ts";
import { securitySection } from "./psc1/security.ts";
import { cameraSection as coachCamera } from "./zod/camera.ts";
import { gpsSection } from "./zod/gps.ts";
import { groupSection } from "./zod/group.ts";
import { measurementSection } from "./zod/measurement.ts";
import { pspSection } from "./zod/psp.ts";

/** An APS has no sections, because it is configured on its own device page. */
export const sectionsOf: Record<SensorType, readonly Section[]> = {
  APS: [],
  ZOD: [coachCamera, measurementSection, groupSection, dataEndpointSection, pspSection, gpsSection],
  "PS.C1": [ceilingCamera, applicationsSection, dataEndpointSection, securitySection, networkSection],
};

export function sectionOf(type: SensorType, key: string): Section | null {
  return sectionsOf[type].find((section) => section.key === key) ?? null;
}

/** A live view of the sensor. `pages` are its pages, beginning with the default. `everyMs` is the interval of updates. */
export type PreviewPage = {
  kind: PreviewKind;
  segment: string;
  label: string;
  pages?: readonly { segment: string; label: string }[];
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
