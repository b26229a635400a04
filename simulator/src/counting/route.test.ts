// Tests that coaches of a train are at one place, and that people change only while the doors are open.
import { expect, test } from "vitest";
import { profileOf } from "../device/identity.ts";
import { gpsFix } from "../preview/fix.ts";
import { countPeopleInVisibleSections } from "../preview/occupancy.ts";
import { activeValues } from "../section/sections.ts";
import { openTestSensor } from "../testing/test-sensor.ts";
import { delayOf, lastOpenDoors, positionAt } from "./route.ts";

const legMs = 180_000;

test("doors are open for the first 30 s of each leg, while the vehicle stands", () => {
  expect([0, 29_999, 30_000, 90_000, legMs - 1].map(lastOpenDoors)).toEqual([0, 29_999, 30_000, 30_000, 30_000]);
  expect(lastOpenDoors(legMs + 5000)).toBe(legMs + 5000);
  expect(positionAt(1, 20_000).speedMps).toBe(0);
  expect(positionAt(1, 90_000).speedMps).toBeGreaterThan(1);
  expect(delayOf(2 ** 32 - 1)).toBeLessThan(10 * legMs);
});

test("coaches of a train share their position and vehicle id; their people differ", async () => {
  const at = Date.UTC(2026, 0, 7, 16, 2);
  const coaches = await Promise.all(
    [1, 2].map(async (sequence) => {
      const id = `02:00:00:00:01:0${sequence}`;
      const place = { kind: "station" as const, zone: "Europe/Berlin", coach: { vehicle: "IR-101", sequence } };
      const { sensor } = await openTestSensor({ id, at, type: "ZOD", profile: profileOf(id, "ZOD", "test", place) });
      return sensor;
    }),
  );
  const [one, two] = coaches.map(gpsFix);
  expect(one).toEqual({ ...two, accuracyM: one?.["accuracyM"], satellites: one?.["satellites"] });
  expect(coaches.map((sensor) => activeValues(sensor, "group")["coach"])).toEqual(
    [1, 2].map((sequence) => ({ name: `Coach ${sequence}`, vehicleId: "IR-101", carriageSequence: sequence })),
  );
  const [first, second] = coaches.map((sensor) =>
    countPeopleInVisibleSections(sensor).reduce((sum, { n }) => sum + n, 0),
  );
  expect(first).toBeGreaterThan(0);
  expect(second).not.toBe(first);
});
