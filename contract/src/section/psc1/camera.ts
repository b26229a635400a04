// PS.C1, Camera: fits the picture to the ceiling.
import type { Section } from "../field.ts";
import { blurPreviews, mainsHz, rotation, whole } from "../pieces.ts";

export const camera: Section = {
  key: "camera",
  segment: "camera",
  label: "Camera",
  parts: [
    whole("mountHeightCm", "Mounting height (cm)", 220, 1000, 300),
    rotation,
    mainsHz,
    blurPreviews,
    { kind: "switch", path: "statusLed", label: "Status light", default: true },
  ],
  facts: [],
};
