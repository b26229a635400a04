// ZOD section Group: levels and vehicle sections, which previews, datapoints and the feed use.
import type { RuleContext, Section } from "../field.ts";
import { uniqueNameField, nameField, integerField } from "../field-presets.ts";

const vehicleId = /^[A-Za-z0-9._-]+$/;

/** Invalid numbers are reported by the fields themselves. */
const isNumberOfPlaces = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

function faultOfPlaces(seats: unknown, { inItem }: RuleContext): string | null {
  const standing = inItem("standing");
  if (!isNumberOfPlaces(seats) || !isNumberOfPlaces(standing)) return null;
  return Number(seats) + Number(standing) >= 1 ? null : "A section needs at least one place.";
}

const looking = (cameras: readonly string[]) =>
  cameras.length === 1
    ? `Camera ${cameras[0]} looks at this section.`
    : `Cameras ${cameras.join(", ")} look at this section.`;

export const groupSection: Section = {
  key: "group",
  segment: "group",
  label: "Group",
  parts: [
    nameField("coach.name", "Coach name"),
    {
      kind: "text",
      path: "coach.vehicleId",
      label: "Vehicle ID",
      max: 32,
      required: true,
      default: "",
      must: {
        be: (text) => vehicleId.test(text),
        sentence: "Vehicle ID may only contain letters, digits, dot, hyphen and underscore.",
      },
    },
    integerField("coach.carriageSequence", "Position in train", 1, 20, 1),
    {
      kind: "list",
      path: "levels",
      label: "Levels",
      words: { one: "level", many: "levels" },
      title: "name",
      idPrefix: "l",
      min: 1,
      max: 3,
      default: [{ id: "l1", name: "Main" }],
      fields: [uniqueNameField],
      usedBy: [{ list: "sections", field: "levelId", sentence: () => "Remove its sections first." }],
    },
    {
      kind: "list",
      path: "sections",
      label: "Sections",
      words: { one: "section", many: "sections" },
      title: "name",
      idPrefix: "s",
      min: 1,
      max: 12,
      default: [{ id: "s1", name: "Main", levelId: "l1", seats: 20, standing: 10 }],
      fields: [
        uniqueNameField,
        {
          kind: "reference",
          path: "levelId",
          label: "Level",
          list: "levels",
          nullable: false,
          missing: "This level does not exist.",
        },
        { ...integerField("seats", "Seats", 0, 300, 20), rule: faultOfPlaces },
        integerField("standing", "Standing places", 0, 300, 10),
      ],
      usedBy: [{ section: "camera", list: "cameras", field: "sectionId", sentence: looking }],
    },
  ],
  facts: [],
};
