// PS.C1 section Applications: counting lines and zones, drawn on the last picture or typed.
import { hasCrossingEdges } from "../check/crossing.ts";
import type { Point, RuleContext, Section } from "../field.ts";
import { intervalField, uniqueNameField, integerField } from "../field-presets.ts";

const isOn = (path: string) =>
  ({ applies: ({ inSection: at }: RuleContext) => at(path) === true, otherwise: "off" }) as const;

/** 0 means that children are not counted separately. */
function faultOfChild(child: unknown, { inSection: at }: RuleContext): string | null {
  const smallest = at("counting.minHeightCm");
  if (typeof child !== "number" || typeof smallest !== "number" || child === 0 || child > smallest) return null;
  return "Child below must be greater than the smallest person.";
}

export const applicationsSection: Section = {
  key: "applications",
  segment: "applications",
  label: "Applications",
  parts: [
    { kind: "switch", path: "counting.enabled", label: "Count people", default: true },
    { ...intervalField("counting.intervalS"), ...isOn("counting.enabled") },
    { ...integerField("counting.minHeightCm", "Smallest person (cm)", 40, 160, 80), ...isOn("counting.enabled") },
    {
      ...integerField("counting.childBelowCm", "Child below (cm)", 0, 160, 0),
      zero: "no distinction",
      ...isOn("counting.enabled"),
      rule: faultOfChild,
    },
    {
      kind: "list",
      path: "lines",
      label: "Lines",
      words: { one: "line", many: "lines" },
      title: "name",
      idPrefix: "l",
      min: 0,
      max: 8,
      // Counting is on by default, and needs at least one line.
      default: [
        {
          id: "l1",
          name: "Line 1",
          points: [
            { x: 10, y: 50 },
            { x: 90, y: 50 },
          ],
          inSide: "left",
        },
      ],
      rule: (lines, { inSection: at }) =>
        lines.length === 0 && at("counting.enabled") === true ? "Draw at least one line." : null,
      fields: [
        uniqueNameField,
        {
          kind: "points",
          path: "points",
          label: "Points",
          min: 2,
          max: 8,
          closed: false,
          default: [
            { x: 10, y: 50 },
            { x: 90, y: 50 },
          ],
        },
        {
          kind: "choice",
          path: "inSide",
          label: "In is",
          options: [
            { value: "left", label: "Left" },
            { value: "right", label: "Right" },
          ],
          default: "left",
        },
      ],
    },
    { kind: "switch", path: "occupancy.enabled", label: "Measure zones", default: false },
    { kind: "switch", path: "dwell.enabled", label: "Measure dwell time", default: false },
    { ...integerField("dwell.minS", "Shortest stay (s)", 1, 60, 3), ...isOn("dwell.enabled") },
    {
      kind: "list",
      path: "zones",
      label: "Zones",
      words: { one: "zone", many: "zones" },
      title: "name",
      idPrefix: "z",
      min: 0,
      max: 8,
      default: [],
      rule: (zones, { inSection: at }) =>
        zones.length === 0 && (at("occupancy.enabled") === true || at("dwell.enabled") === true)
          ? "Draw at least one zone."
          : null,
      fields: [
        uniqueNameField,
        {
          kind: "points",
          path: "points",
          label: "Points",
          min: 3,
          max: 16,
          closed: true,
          default: [
            { x: 30, y: 30 },
            { x: 70, y: 30 },
            { x: 50, y: 70 },
          ],
          rule: (points, { inItem }) =>
            hasCrossingEdges(points as readonly Point[]) ? `The edges of ${zoneName(inItem("name"))} cross.` : null,
        },
      ],
    },
  ],
  facts: [],
};

function zoneName(name: unknown): string {
  return typeof name === "string" && name !== "" && name.length <= uniqueNameField.max ? name : "the zone";
}
