// Tests how the load of vehicles is shown and becomes unknown, the slots of a day, and the view of the map.
import { expect, test } from "vitest";
import { toChartSlots } from "./day.rules.ts";
import { viewOf } from "./map.rules.ts";
import { ageVehicle, fullnessOf } from "./vehicle.rules.ts";
import { vehicleText } from "./vehicle.text.ts";
import { plainLoad, plainVehicle } from "./vehicle.testing.ts";

const start = Date.UTC(2026, 10, 30, 8);
const at = new Date(start).toISOString();
const minuteMs = 60_000;

test("a coach is named by its position, load and free seats", () => {
  expect(vehicleText.coach(4, "occupied", { percent: 62, seatsFree: 23 })).toBe("Coach 4: 62 %, 23 seats free");
  expect(vehicleText.coach(1, "occupied", { percent: 99, seatsFree: 1 })).toBe("Coach 1: 99 %, 1 seat free");
  expect(vehicleText.coach(2, "empty", { percent: 0, seatsFree: 60 })).toBe("Coach 2: empty, 60 seats free");
  expect(vehicleText.coach(2, "unknown", null)).toBe("Coach 2: unknown");
  expect(vehicleText.coach(2, "outOfService", null)).toBe("Coach 2: out of service");
});

test("the color follows the share of places", () => {
  const shown = [
    null,
    plainLoad(0),
    plainLoad(1),
    plainLoad(59),
    plainLoad(60),
    plainLoad(89),
    plainLoad(90),
    plainLoad(150),
  ];
  expect(shown.map(fullnessOf)).toEqual(["none", "empty", "free", "free", "busy", "busy", "full", "full"]);
});

test("levels and positions become unknown after five minutes; until then the row stays the same object", () => {
  const vehicle = plainVehicle("a", [10, 20], at);
  expect(ageVehicle(vehicle, start + 5 * minuteMs - 1)).toBe(vehicle);
  const old = ageVehicle(vehicle, start + 5 * minuteMs);
  expect([old.state, old.load, old.position, old.coaches[0]?.state]).toEqual(["unknown", null, null, "unknown"]);
  const fresh = { ...vehicle.coaches[1], at: new Date(start + minuteMs).toISOString() } as (typeof vehicle.coaches)[0];
  const half = ageVehicle({ ...vehicle, coaches: [...vehicle.coaches.slice(0, 1), fresh] }, start + 5 * minuteMs);
  expect(half.coaches.map(({ state }) => state)).toEqual(["unknown", "occupied"]);
  expect(half.state).toBe("unknown");
  const parked = plainVehicle("b", [null], at, { state: "outOfService" });
  expect(ageVehicle({ ...parked, position: null }, start + 60 * minuteMs).state).toBe("outOfService");
});

test("unknown quarters are gaps, later ones are empty, and a day of 23 hours has 92", () => {
  const day = { date: "2026-03-29", zone: "Europe/Berlin", slotMinutes: 15 };
  const slots = toChartSlots({
    ...day,
    slots: [
      { from: "2026-03-28T23:00:00.000Z", load: { persons: 10.5, places: 100, percent: 11 } },
      { from: "2026-03-28T23:15:00.000Z", load: null },
    ],
  });
  expect(slots).toHaveLength(92);
  expect(slots.slice(0, 3)).toMatchObject([
    { label: "00:00", tick: "00:00", values: [11], persons: "10.5" },
    { label: "00:15", values: [null], gap: "unknown" },
    { label: "00:30", values: [null], gap: "ahead" },
  ]);
  expect(toChartSlots({ ...day, slots: [] })).toEqual([]);
});

test("the map starts with all vehicles in view", () => {
  expect(viewOf([], 12).zoom).toBeLessThan(1);
  expect(viewOf([{ lng: 9, lat: 50 }], 5)).toEqual({ lng: 9, lat: 50, zoom: 5 });
  const corners = [
    { lng: 7, lat: 47 },
    { lng: 14, lat: 53 },
  ];
  const wide = viewOf(corners, 12);
  expect([wide.lng, wide.lat]).toEqual([10.5, 50]);
  expect(wide.zoom).toBeGreaterThan(3);
  expect(wide.zoom).toBeLessThan(5);
});
