// PS.C1 section Camera: mounting height and picture orientation.
import type { Section } from "../field.ts";
import { blurPreviews, mainsHz, rotation, integerField } from "../field-presets.ts";

export const camera: Section = {
  key: "camera",
  segment: "camera",
  label: "Camera",
  parts: [
    integerField("mountHeightCm", "Mounting height (cm)", 220, 1000, 300),
    rotation,
    mainsHz,
    blurPreviews,
    { kind: "switch", path: "statusLed", label: "Status light", default: true },
  ],
  facts: [],
};
