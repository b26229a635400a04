// PS.C1 section Camera: mounting height and picture orientation.
import type { Section } from "../field.ts";
import { blurPreviewsField, mainsHzField, rotationField, integerField } from "../field-presets.ts";

export const cameraSection: Section = {
  key: "camera",
  segment: "camera",
  label: "Camera",
  parts: [
    integerField("mountHeightCm", "Mounting height (cm)", 220, 1000, 300),
    rotationField,
    mainsHzField,
    blurPreviewsField,
    { kind: "switch", path: "statusLed", label: "Status light", default: true },
  ],
  facts: [],
};
