// Applies live levels of vehicles to cached vehicles: many messages at once, so that a storm causes few renders
// (docs/rules/vehicles.md#vehicles-page).
import type { VehicleMessage } from "@psp/contract/live/live-message.ts";
import type { Vehicle } from "@psp/contract/vehicle/vehicle.ts";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { refreshSoon } from "../api/query-client.ts";
import { watchVehicles } from "../api/watch.ts";

type Change = VehicleMessage["obj"];
type Listed = { objects: Vehicle[] } | Vehicle | undefined;

const everyMs = 250;

const pending = new WeakMap<QueryClient, Map<string, Change>>();

/** Keeps the loads of vehicles up to date while mounted. */
export function useLiveLevels(): void {
  const client = useQueryClient();
  useEffect(() => watchVehicles((message) => addVehicleMessage(client, message)), [client]);
}

/** Collects messages, and applies them together after 250 ms. */
export function addVehicleMessage(client: QueryClient, { op, obj }: VehicleMessage): void {
  // The message does not contain everything that a row with other coaches shows.
  if (op !== "update") refreshSoon(client, "vehicle", [["vehicle"]]);
  const known = pending.get(client);
  const changes = known ?? new Map<string, Change>();
  changes.set(obj._id, merged(changes.get(obj._id), obj));
  if (known) return;
  pending.set(client, changes);
  setTimeout(() => {
    pending.delete(client);
    apply(client, changes);
  }, everyMs);
}

function merged(before: Change | undefined, now: Change): Change {
  if (before === undefined) return now;
  const coaches = new Map([...before.coaches, ...now.coaches].map((coach) => [coach.sequence, coach]));
  return { ...now, coaches: [...coaches.values()] };
}

function apply(client: QueryClient, changes: ReadonlyMap<string, Change>): void {
  for (const [key, data] of client.getQueriesData<Listed>({ queryKey: ["vehicle"] })) {
    const next = patched(data, changes);
    if (next !== data) client.setQueryData(key, next);
  }
}

/** Keeps unchanged vehicles and coaches, so that only changed rows render. */
function patched(data: Listed, changes: ReadonlyMap<string, Change>): Listed {
  if (data === undefined || data === null) return data;
  if ("_id" in data) return withLevels(data, changes);
  if (!("objects" in data) || !data.objects.some(({ _id }) => changes.has(_id))) return data;
  return { ...data, objects: data.objects.map((vehicle) => withLevels(vehicle, changes)) };
}

function withLevels(vehicle: Vehicle, changes: ReadonlyMap<string, Change>): Vehicle {
  const change = changes.get(vehicle._id);
  if (change === undefined || isOlder(change, vehicle)) return vehicle;
  const coaches = new Map(change.coaches.map((coach) => [coach.sequence, coach]));
  return { ...vehicle, ...change, coaches: vehicle.coaches.map((one) => ({ ...one, ...coaches.get(one.sequence) })) };
}

/** Messages are delayed, so a row that was loaded meanwhile may be newer. */
const isOlder = ({ at }: Change, vehicle: Vehicle): boolean => typeof at === "string" && at < (vehicle.at ?? "");
