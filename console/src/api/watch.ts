// Tracks which counts and vehicles are displayed, because the server sends no others (docs/rules/live-channel.md#watched-counts).
import { maxWatched } from "@psp/contract/live/channel.ts";
import type { VehicleMessage } from "@psp/contract/live/live-message.ts";
import type { Watch } from "@psp/contract/live/live.ts";
import { useEffect } from "react";

/** What is displayed. `any` stands for sums over all objects that the user can view. */
export type WatchedCounts = Partial<Omit<Watch, "vehicles">>;
type VehicleListener = (message: VehicleMessage) => void;

const shown = new Set<WatchedCounts>();
const vehicleListeners = new Set<VehicleListener>();
const listeners = new Set<() => void>();
let announcing = false;

/** All watched objects, deduplicated. If there are more than the server accepts, `any` is set. */
export function getCurrentWatch(): Watch {
  const all = [...shown];
  const of = (part: "measIDs" | "sensorIDs") => [...new Set(all.flatMap((one) => one[part] ?? []))].toSorted();
  const [measIDs, sensorIDs] = [of("measIDs"), of("sensorIDs")];
  const isMany = measIDs.length > maxWatched || sensorIDs.length > maxWatched;
  return {
    measIDs: measIDs.slice(0, maxWatched),
    sensorIDs: sensorIDs.slice(0, maxWatched),
    any: isMany || all.some((one) => one.any === true),
    ...(vehicleListeners.size > 0 ? { vehicles: true } : {}),
  };
}

/** Notifies listeners once per task, because a navigation may add and remove many objects. */
function announce(): void {
  if (announcing) return;
  announcing = true;
  setTimeout(() => {
    announcing = false;
    for (const listener of listeners) listener();
  });
}

export function onWatchedChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function watchCounts(watched: WatchedCounts): () => void {
  shown.add(watched);
  announce();
  return () => {
    shown.delete(watched);
    announce();
  };
}

/** Requests the levels of all vehicles until the returned function is called. */
export function watchVehicles(listener: VehicleListener): () => void {
  vehicleListeners.add(listener);
  announce();
  return () => {
    vehicleListeners.delete(listener);
    announce();
  };
}

export function passOnVehicle(message: VehicleMessage): void {
  for (const listener of vehicleListeners) listener(message);
}

/** Keeps the counts of these objects (queries below `["datapoint", …]`) up to date while mounted. */
export function useWatchedCounts(watched: WatchedCounts): void {
  const text = JSON.stringify(watched);
  useEffect(() => watchCounts(JSON.parse(text) as WatchedCounts), [text]);
}
