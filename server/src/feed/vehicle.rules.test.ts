// Tests the occupancy status of vehicles at its limits, and compares random trains with an oracle that fills them person by person.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toFeedMessage } from "./feed.wire.ts";
import {
  type Coach,
  type Load,
  toOccupancyPercentage,
  toOccupancyStatus,
  toVehicles,
  type Vehicle,
} from "./vehicle.rules.ts";

const now = Date.UTC(2026, 10, 30, 8);
const minuteMs = 60_000;

type Part = { seats: unknown; standing: unknown };
function group(vehicleId: unknown, sequence: unknown, parts: Part[] = [{ seats: 20, standing: 10 }]) {
  return {
    coach: { name: `Coach ${String(sequence)}`, vehicleId, carriageSequence: sequence },
    levels: [{ id: "l1", name: "Main" }],
    sections: parts.map((part, index) => ({ id: `s${index + 1}`, name: "Part", levelId: "l1", ...part })),
  };
}
const zones = (...people: number[]) => people.map((n, index) => ({ id: `s${index + 1}`, n }));
const coach = (given: Partial<Coach>): Coach => ({
  sensorId: "02:00:00:00:00:01",
  ownerId: "owner",
  group: group("t1", 1),
  zones: zones(3),
  pos: null,
  atMs: now,
  isOff: false,
  ...given,
});

const statusOf = (one?: Pick<Vehicle, "load" | "state">) => toOccupancyStatus(one ?? { load: null, state: "unknown" });

describe("occupancy status and percentage", () => {
  test.each<[persons: number, seats: number, standing: number, status: string, percentage: number]>([
    [0, 20, 10, "EMPTY", 0],
    [1, 20, 10, "MANY_SEATS_AVAILABLE", 3],
    [10, 20, 10, "MANY_SEATS_AVAILABLE", 33],
    [11, 20, 10, "FEW_SEATS_AVAILABLE", 37],
    [19, 20, 10, "FEW_SEATS_AVAILABLE", 63],
    [20, 20, 10, "STANDING_ROOM_ONLY", 67],
    [29, 20, 10, "STANDING_ROOM_ONLY", 97],
    [30, 20, 10, "FULL", 100],
    [45, 20, 10, "FULL", 150],
    [0, 0, 10, "EMPTY", 0],
    [1, 0, 10, "STANDING_ROOM_ONLY", 10],
    [10, 0, 10, "FULL", 100],
    [39, 40, 0, "FEW_SEATS_AVAILABLE", 98],
    [40, 40, 0, "FULL", 100],
    [95, 100, 1, "FEW_SEATS_AVAILABLE", 94],
    [96, 100, 1, "STANDING_ROOM_ONLY", 95],
    [1, 1, 0, "FULL", 100],
    [1_000_000, 300, 300, "FULL", 166_667],
  ])("%i persons, %i seats, %i standing: %s, %i %%", (persons, seats, standing, status, percentage) => {
    expect(toOccupancyStatus({ load: { persons, seats, standing }, state: "occupied" })).toBe(status);
    expect(toOccupancyPercentage({ persons, seats, standing })).toBe(percentage);
    const [vehicle] = toVehicles([coach({ group: group("t1", 1, [{ seats, standing }]), zones: zones(persons) })], now);
    expect(vehicle?.load).toEqual({ persons, seats, standing });
  });
});

describe("what is not known", () => {
  const load = { persons: 3, seats: 20, standing: 10 };
  const two = group("t1", 1, [
    { seats: 20, standing: 10 },
    { seats: 4, standing: 0 },
  ]);
  test.each<[string, Partial<Coach>, Load | null]>([
    ["just said", {}, load],
    ["said almost five minutes ago", { atMs: now - 5 * minuteMs + 1 }, load],
    ["said five minutes ago", { atMs: now - 5 * minuteMs }, null],
    ["said by a clock ahead of ours", { atMs: now + minuteMs }, load],
    ["nothing said yet", { zones: null, atMs: null }, null],
    ["a section that no camera sees", { group: two, zones: zones(3) }, null],
    ["no section seen at all", { zones: [] }, null],
    ["a section that is not in the group", { zones: [...zones(3), { id: "s9", n: 7 }] }, load],
    ["both sections seen", { group: two, zones: zones(3, 2) }, { persons: 5, seats: 24, standing: 10 }],
    ["places that can't be", { group: group("t1", 1, [{ seats: -1, standing: 10 }]) }, null],
    ["places that are no numbers", { group: group("t1", 1, [{ seats: null, standing: 10 }]) }, null],
    ["half a place", { group: group("t1", 1, [{ seats: 0.5, standing: 10 }]) }, null],
    ["no place at all", { group: group("t1", 1, [{ seats: 0, standing: 0 }]) }, null],
    ["no section at all", { group: group("t1", 1, []) }, null],
  ])("%s", (_case, given, expected) => {
    const [vehicle] = toVehicles([coach(given)], now);
    expect(vehicle?.load).toEqual(expected);
    expect(vehicle?.carriages).toMatchObject([{ sequence: 1, name: "Coach 1", load: expected }]);
    expect(statusOf(vehicle) === "NO_DATA_AVAILABLE").toBe(expected === null);
  });

  test.each<[string, unknown]>([
    ["no vehicle id", group("", 1)],
    ["a vehicle id that is no text", group(7, 1)],
    ["no position in the train", group("t1", null)],
    ["a position before the first", group("t1", 0)],
    ["a position beyond the longest train", group("t1", 1e9)],
    ["no section of that name", null],
    ["hostile nonsense", { coach: { __proto__: { vehicleId: "t1", carriageSequence: 1 } } }],
  ])("a sensor with %s is in no vehicle", (_case, given) => {
    expect(toVehicles([coach({ group: given })], now)).toEqual([]);
  });
});

describe("trains", () => {
  test("carriages are in train order; a position without a sensor is unknown", () => {
    const [train, ...others] = toVehicles(
      [coach({ group: group("t1", 4), zones: zones(30) }), coach({ group: group("t1", 2) })],
      now,
    );
    expect(others).toEqual([]);
    expect(train?.carriages.map(({ sequence, name, load }) => [sequence, name, load?.persons ?? null])).toEqual([
      [1, null, null],
      [2, "Coach 2", 3],
      [3, null, null],
      [4, "Coach 4", 30],
    ]);
    expect(train?.load).toBeNull();
  });

  test("several sensors at one place see parts of one coach", () => {
    const [bus] = toVehicles([coach({}), coach({ zones: zones(4) })], now);
    const load = { persons: 7, seats: 40, standing: 20 };
    expect(bus?.carriages).toMatchObject([{ sequence: 1, name: null, load }]);
    const [half] = toVehicles([coach({}), coach({ zones: [] })], now);
    expect(half?.load).toBeNull();
  });

  test("the position is the newest of the last five minutes", () => {
    const at = (lat: number, agoMs: number, sequence: number): Coach =>
      coach({ group: group("t1", sequence), pos: { lat, lng: 9 }, atMs: now - agoMs });
    const positionOf = (coaches: Coach[]) => toVehicles(coaches, now)[0];
    expect(positionOf([at(50, 4000, 1), at(51, 2000, 2)])).toMatchObject({ pos: { lat: 51 }, atMs: now - 2000 });
    // The newest message has no position, as in a tunnel, so the position of the other coach is used.
    expect(positionOf([at(50, 4000, 1), { ...at(51, 2000, 2), pos: null }])).toMatchObject({
      pos: { lat: 50 },
      atMs: now - 2000,
    });
    expect(positionOf([at(50, 5 * minuteMs, 1)])).toMatchObject({ pos: null, atMs: now - 5 * minuteMs });
    expect(positionOf([coach({ zones: null, atMs: null })])).toMatchObject({ pos: null, atMs: null });
  });

  test("a position that receivers report without a fix is unknown", () => {
    for (const pos of [
      { lat: 0, lng: 0 },
      { lat: 0.0004, lng: -0.0004 },
      { lat: 91, lng: 181 },
      { lat: Number.NaN, lng: 9 },
    ])
      expect(toVehicles([coach({ pos })], now)[0]?.pos, JSON.stringify(pos)).toBeNull();
    expect(toVehicles([coach({ pos: { lat: 0, lng: 9 } })], now)[0]?.pos).toMatchObject({ lng: 9 });
  });

  test("a vehicle is out of service when all its sensors are off; one that is off leaves its coach unknown", () => {
    const old = { isOff: true, atMs: now - 60 * minuteMs };
    const train = (...coaches: Partial<Coach>[]) =>
      toVehicles(
        coaches.map((one, index) => coach({ group: group("t1", index + 1), ...one })),
        now,
      )[0];
    const states = (one?: Vehicle) => [one?.state, ...(one?.carriages ?? []).map(({ state }) => state)];
    expect(states(train(old, { isOff: true, zones: null, atMs: null }))).toEqual(Array(3).fill("outOfService"));
    expect(statusOf(train(old, old))).toBe("NOT_ACCEPTING_PASSENGERS");
    expect(states(train(old, {}))).toEqual(["unknown", "unknown", "occupied"]);
    expect(states(train(old, { ...old, isOff: false }))).toEqual(Array(3).fill("unknown"));
    // A sensor that was disconnected long ago, but whose level is new, is not off.
    expect(states(train({ isOff: true }))).toEqual(Array(2).fill("occupied"));
    expect(states(train({ zones: zones(0) }, {}))).toEqual(["occupied", "empty", "occupied"]);
    expect(states(train({ zones: zones(0) }))).toEqual(["empty", "empty"]);
  });

  test("two owners with one vehicle id have two vehicles with different entities", () => {
    const found = toVehicles(
      [coach({ ownerId: "b" }), coach({ ownerId: "a", zones: zones(5) }), coach({ ownerId: "b" })],
      now,
    );
    expect(found.map(({ ownerId, id, load }) => [ownerId, id, load?.persons])).toEqual([
      ["a", "t1", 5],
      ["b", "t1", 6],
    ]);
    const { entity } = toFeedMessage(found, now);
    expect(entity.map(({ id, vehicle }) => [id, vehicle.vehicle.id])).toEqual([
      ["a_t1", "t1"],
      ["b_t1", "t1"],
    ]);
  });

  test("vehicles are sorted by id, with their own coaches", () => {
    const found = toVehicles(
      [coach({ group: group("b", 1) }), coach({ group: group("a", 1) }), coach({ group: group("b", 2) })],
      now,
    );
    expect(found.map(({ id, carriages }) => [id, carriages.length])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
  });

  type Random = {
    sequence: number;
    minutes: number;
    parts: { seats: number; standing: number; seen: number | null }[];
  };
  const part = fc.record({
    seats: fc.nat(30),
    standing: fc.nat(20),
    seen: fc.option(fc.nat(60), { freq: 8 }),
  });
  const random: fc.Arbitrary<Random> = fc.record({
    sequence: fc.integer({ min: 1, max: 4 }),
    minutes: fc.nat(6),
    parts: fc.array(part, { minLength: 1, maxLength: 3 }),
  });

  test("random trains match an oracle that fills seats person by person", () => {
    fc.assert(
      fc.property(fc.array(random, { minLength: 1, maxLength: 5 }), (coaches) => {
        const [vehicle] = toVehicles(
          coaches.map(({ sequence, minutes, parts }) =>
            coach({
              group: group("t1", sequence, parts),
              zones: parts.flatMap(({ seen }, index) => (seen === null ? [] : [{ id: `s${index + 1}`, n: seen }])),
              atMs: now - minutes * minuteMs,
            }),
          ),
          now,
        );
        const last = coaches.reduce((most, { sequence }) => Math.max(most, sequence), 0);
        for (let place = 1; place <= last; place += 1) {
          const own = coaches.filter(({ sequence }) => sequence === place);
          const carriage = vehicle?.carriages[place - 1];
          expect([carriage?.sequence, statusOf(carriage)]).toEqual([place, wordFor(own)]);
        }
        const isWhole = new Set(coaches.map(({ sequence }) => sequence)).size === last;
        const expected = isWhole ? wordFor(coaches) : "NO_DATA_AVAILABLE";
        expect(statusOf(vehicle)).toBe(expected);
      }),
      { seed: 2026, numRuns: 2000 },
    );
  });

  /** Fills seats, then standing places, and derives the status from what is left. */
  function wordFor(coaches: readonly Random[]): string {
    const parts = coaches.flatMap((one) => one.parts);
    const isBlind = coaches.some(
      (one) =>
        one.minutes >= 5 ||
        one.parts.some(({ seen }) => seen === null) ||
        one.parts.every(({ seats, standing }) => seats === 0 && standing === 0),
    );
    if (coaches.length === 0 || isBlind) return "NO_DATA_AVAILABLE";
    const free = { seats: 0, standing: 0 };
    for (const { seats, standing } of parts) {
      free.seats += seats;
      free.standing += standing;
    }
    const { seats, standing } = free;
    const people = parts.flatMap(({ seen }) => Array.from({ length: seen ?? 0 }, () => "person"));
    let seated = 0;
    for (const _ of people) {
      if (free.seats > 0) {
        free.seats -= 1;
        seated += 1;
      } else if (free.standing > 0) free.standing -= 1;
    }
    if (people.length === 0) return "EMPTY";
    if (free.seats === 0 && free.standing === 0) return "FULL";
    const taken = seats === 0 ? Infinity : seated / seats;
    if (standing > 0 && taken > 0.95) return "STANDING_ROOM_ONLY";
    return taken > 0.5 ? "FEW_SEATS_AVAILABLE" : "MANY_SEATS_AVAILABLE";
  }
});
