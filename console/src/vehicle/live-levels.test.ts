// Tests how live levels are applied to cached vehicles: together, in place, and never older over newer.
import type { VehicleMessage } from "@psp/contract/live/live-message.ts";
import type { Vehicle } from "@psp/contract/vehicle/vehicle.ts";
import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { plainCoach, plainVehicle } from "./vehicle.testing.ts";
import { addVehicleMessage } from "./live-levels.ts";

let client: QueryClient;
beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
});
afterEach(() => {
  client.clear();
  vi.useRealTimers();
});

const at = (second: number) => new Date(Date.UTC(2026, 10, 30, 8, 0, second)).toISOString();
const key = ["vehicle", "list", {}];
const listed = () => client.getQueryData<{ objects: Vehicle[] }>(key)?.objects ?? [];

const message = (id: string, sequence: number, persons: number, second: number): VehicleMessage => {
  const { vehicleId: _v, owner: _o, line: _l, ...rest } = plainVehicle(id, [persons], at(second));
  return {
    type: "vehicle",
    op: "update",
    obj: { ...rest, coaches: [plainCoach(sequence, persons, at(second))] },
    seq: 1,
    cursor: "c",
  };
};

test("thousands of messages change the cache once; untouched vehicles and coaches stay the same objects", () => {
  const before = { objects: [plainVehicle("a", [1, 2], at(0)), plainVehicle("b", [3], at(0))], total: 2 };
  client.setQueryData(key, before);
  let writes = 0;
  client.getQueryCache().subscribe(({ type }) => void (writes += type === "updated" ? 1 : 0));
  for (let n = 1; n <= 2000; n += 1) addVehicleMessage(client, message("a", 2, n % 50, 1));
  addVehicleMessage(client, message("unknown", 1, 7, 1));
  expect(writes).toBe(0);
  vi.advanceTimersByTime(250);
  expect(writes).toBe(1);
  const [a, b] = listed();
  expect(b).toBe(before.objects[1]);
  expect(a?.coaches[0]).toEqual(before.objects[0]?.coaches[0]);
  expect(a?.coaches[1]?.load?.persons).toBe(0);
  expect(a?.owner.name).toBe("Tram Lines");
  expect(listed()).toHaveLength(2);
});

test("changes of different coaches are merged; a row that was loaded meanwhile stays", () => {
  client.setQueryData(key, { objects: [plainVehicle("a", [1, 2, 3], at(0))], total: 1 });
  addVehicleMessage(client, message("a", 1, 11, 1));
  addVehicleMessage(client, message("a", 3, 33, 2));
  vi.advanceTimersByTime(250);
  expect(listed()[0]?.coaches.map(({ load }) => load?.persons)).toEqual([11, 2, 33]);
  addVehicleMessage(client, message("a", 1, 99, 4));
  client.setQueryData(key, { objects: [plainVehicle("a", [5, 5, 5], at(9))], total: 1 });
  vi.advanceTimersByTime(250);
  expect(listed()[0]?.coaches.map(({ load }) => load?.persons)).toEqual([5, 5, 5]);
});

test.each(["create", "delete"] as const)("a vehicle with other coaches reloads the lists once in 5 s: %s", (op) => {
  client.setQueryData(key, { objects: [], total: 0 });
  const reload = vi.spyOn(client, "invalidateQueries");
  for (let n = 0; n < 10; n += 1) addVehicleMessage(client, { ...message("a", 1, n, n), op });
  vi.advanceTimersByTime(5000);
  expect(reload).toHaveBeenCalledTimes(1);
});
