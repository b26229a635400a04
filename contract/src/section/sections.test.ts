// What holds for every section: menus, defaults, the wire, and the order of faults.
import { expect, test } from "vitest";
import type { SensorType } from "../device/sensor-type.ts";
import { checkSection } from "./check/check.ts";
import { rightValues, theSection, withChanges } from "./section.testing.ts";
import { previewsOf, sectionsOf } from "./sections.ts";
import { defaultsOf } from "./values.ts";
import { sectionAnswerSchema, sentValuesSchema } from "./wire.ts";

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
/** What no default can know: it comes from the device, and is required. */
const fromTheDevice: Record<string, string[]> = {
  "ZOD group": ["coach.name", "coach.vehicleId"],
  "ZOD psp": ["broker"],
  "PS.C1 network": ["hostname"],
};

test.each(every)("%s %s %s: the defaults are right but for what only the device knows", (_, type, key) => {
  const section = theSection(type, key);
  const faults = checkSection(type, key, defaultsOf(section));
  expect(faults.map(({ path }) => path)).toEqual(fromTheDevice[`${type} ${key}`] ?? []);
  for (const { message } of faults) expect(message).toMatch(/ is required\.$/);
});

test.each(every)("%s %s %s: right values and the defaults pass the wire in both directions", (_, type, key) => {
  const section = theSection(type, key);
  for (const values of [rightValues(type, key), defaultsOf(section)]) {
    expect(sentValuesSchema(section).parse(values)).toEqual(values);
    expect(sectionAnswerSchema(section).safeParse({ rev: 1, values }).success).toBe(true);
  }
});

test("several faults stand in the order of the fields", () => {
  const wrong = withChanges(rightValues("PS.C1", "applications"), {
    "counting.intervalS": 7,
    lines: [],
    "dwell.minS": 99,
    "zones.0.name": "",
    "zones.0.points.1.x": 101,
  });
  expect(checkSection("PS.C1", "applications", wrong).map(({ path }) => path)).toEqual([
    "counting.intervalS",
    "lines",
    "dwell.minS",
    "zones.0.name",
    "zones.0.points.1.x",
  ]);
});
