// Converts vehicles to a GTFS-Realtime FeedMessage in the JSON mapping, from which the protocol buffers are encoded.
import type { FeedMessage } from "@psp/contract/feed/feed.api.ts";
import { toOccupancyPercentage, toOccupancyStatus, toVehicleKey, type Vehicle } from "./vehicle.rules.ts";

type Entity = FeedMessage["entity"][number];

export function toFeedMessage(vehicles: readonly Vehicle[], generatedMs: number): FeedMessage {
  return {
    header: { gtfsRealtimeVersion: "2.0", incrementality: "FULL_DATASET", timestamp: posix(generatedMs) },
    entity: vehicles.map((vehicle, index) => toEntity(vehicle, entityIdOf(vehicles, index), generatedMs)),
  };
}

/** Entity ids must be unique in a feed, but two owners may use the same vehicle id. The vehicles are sorted by id. */
function entityIdOf(vehicles: readonly Vehicle[], index: number): string {
  const vehicle = vehicles[index];
  if (!vehicle) return "";
  const isShared = [vehicles[index - 1], vehicles[index + 1]].some((other) => other?.id === vehicle.id);
  return isShared ? toVehicleKey(vehicle.ownerId, vehicle.id) : vehicle.id;
}

function toEntity(vehicle: Vehicle, entityId: string, generatedMs: number): Entity {
  const { id, carriages, pos, atMs } = vehicle;
  return {
    id: entityId,
    vehicle: {
      vehicle: { id },
      ...(pos
        ? {
            position: {
              latitude: pos.lat,
              longitude: pos.lng,
              ...(pos.heading === undefined ? {} : { bearing: pos.heading }),
              ...(pos.speed === undefined ? {} : { speed: pos.speed }),
            },
          }
        : {}),
      // No entity may be newer than the feed, whichever process's clock is ahead.
      ...(atMs === null ? {} : { timestamp: posix(Math.min(atMs, generatedMs)) }),
      ...occupancyOf(vehicle),
      ...(carriages.length > 1
        ? {
            multiCarriageDetails: carriages.map((carriage) => ({
              ...(carriage.name === null ? {} : { label: carriage.name }),
              ...occupancyOf(carriage),
              carriageSequence: carriage.sequence,
            })),
          }
        : {}),
    },
  };
}

function occupancyOf(one: Pick<Vehicle, "load" | "state">) {
  const { load } = one;
  return {
    occupancyStatus: toOccupancyStatus(one),
    ...(load ? { occupancyPercentage: toOccupancyPercentage(load) } : {}),
  };
}

const posix = (ms: number): string => String(Math.floor(ms / 1000));
