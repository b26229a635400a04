// ZOD section Camera: assigns cameras to vehicle sections.
import type { Section } from "../field.ts";
import { blurPreviewsField, uniqueNameField, mainsHzField, rotationField, integerField } from "../field-presets.ts";
import { valueAt } from "../values.ts";

export const cameraSection: Section = {
  key: "camera",
  segment: "camera",
  label: "Camera",
  parts: [
    {
      kind: "list",
      path: "cameras",
      label: "Cameras",
      words: { one: "camera", many: "cameras" },
      title: "id",
      fixed: true,
      idPrefix: "c",
      min: 1,
      max: 8,
      default: [{ id: "c1", name: "Camera 1", enabled: true, sectionId: null, rotation: 0, heightCm: 220 }],
      rule: (cameras) =>
        cameras.some((one) => valueAt(one, "enabled") !== false) ? null : "At least one camera must be enabled.",
      fields: [
        uniqueNameField,
        { kind: "switch", path: "enabled", label: "Enabled", default: true },
        {
          kind: "reference",
          path: "sectionId",
          label: "Section",
          section: "group",
          list: "sections",
          nullable: true,
          missing: "This section does not exist.",
        },
        rotationField,
        integerField("heightCm", "Mounting height (cm)", 180, 300, 220),
      ],
    },
    mainsHzField,
    blurPreviewsField,
  ],
  facts: [],
};
