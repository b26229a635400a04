// Tests all sections: menus, defaults, wire format and order of errors.
import { expect, test } from "vitest";
import type { SensorType } from "../device/sensor-type.ts";
import { validateSection } from "./check/check.ts";
import { validValues, requireSection, withChanges } from "./section.testing.ts";
import { previewsOf, sectionsOf } from "./sections.ts";
import { getDefaults } from "./values.ts";
import { sectionResponseSchema, requestValuesSchema } from "./wire.ts";

const row = (type: SensorType) => (type === "ZOD" ? "SE-06" : "SE-07");

test("SE-06 SE-07 menus have the sections and previews of their type, in order", () => {
  const menu = (type: SensorType) =>
    [...sectionsOf[type], ...previewsOf[type]].map(({ segment, label }) => `${segment}: ${label}`);
  expect(menu("ZOD")).toEqual([
    "camera: Camera",
    "measurement: Measurement",
    "group: Group",
    "dataendpoint: Data endpoints",
    "dataendpoint/psp: PS.Platform",
    "gps: GPS",
    "preview-occupancy: Preview occupancy",
    "preview-cameras: Preview cameras",
    "preview-gps: Preview GPS",
  ]);
  expect(menu("PS.C1")).toEqual([
    "camera: Camera",
    "applications: Applications",
    "dataendpoint: Data endpoints",
    "security: Security",
    "network: Network",
    "preview-cameras: Preview cameras",
  ]);
  expect(menu("APS")).toEqual([]);
});

const every = Object.entries(sectionsOf).flatMap(([type, list]) =>
  list.map(({ key }) => [row(type as SensorType), type as SensorType, key] as const),
);
/** Required fields without a default, because their values come from the device. */
const fromTheDevice: Record<string, string[]> = {
  "ZOD group": ["coach.name", "coach.vehicleId"],
  "ZOD psp": ["broker"],
  "PS.C1 network": ["hostname"],
};

test.each(every)("%s %s %s: the defaults are right but for what only the device knows", (_, type, key) => {
  const section = requireSection(type, key);
  const faults = validateSection(type, key, getDefaults(section));
  expect(faults.map(({ path }) => path)).toEqual(fromTheDevice[`${type} ${key}`] ?? []);
  for (const { message } of faults) expect(message).toMatch(/ is required\.$/);
});

test.each(every)("%s %s %s: right values and the defaults pass the wire in both directions", (_, type, key) => {
  const section = requireSection(type, key);
  for (const values of [validValues(type, key), getDefaults(section)]) {
    expect(requestValuesSchema(section).parse(values)).toEqual(values);
    expect(sectionResponseSchema(section).safeParse({ rev: 1, values }).success).toBe(true);
  }
});

test("several faults stand in the order of the fields", () => {
  const wrong = withChanges(validValues("PS.C1", "applications"), {
    "counting.intervalS": 7,
    lines: [],
    "dwell.minS": 99,
    "zones.0.name": "",
    "zones.0.points.1.x": 101,
  });
  expect(validateSection("PS.C1", "applications", wrong).map(({ path }) => path)).toEqual([
    "counting.intervalS",
    "lines",
    "dwell.minS",
    "zones.0.name",
    "zones.0.points.1.x",
  ]);
});
