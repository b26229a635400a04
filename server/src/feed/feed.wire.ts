// Converts vehicles to a GTFS-Realtime FeedMessage in the JSON mapping, from which the protocol buffers are encoded.
import type { FeedMessage } from "@psp/contract/feed/feed.api.ts";
import { type Load, toOccupancyPercentage, toOccupancyStatus, type Vehicle } from "./vehicle.rules.ts";

type Entity = FeedMessage["entity"][number];

export function toFeedMessage(vehicles: readonly Vehicle[], generatedMs: number): FeedMessage {
  return {
    header: { gtfsRealtimeVersion: "2.0", incrementality: "FULL_DATASET", timestamp: posix(generatedMs) },
    entity: vehicles.map((vehicle) => toEntity(vehicle, generatedMs)),
  };
}

function toEntity({ id, carriages, load, pos, atMs }: Vehicle, generatedMs: number): Entity {
  return {
    id,
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
      ...occupancyOf(load),
      ...(carriages.length > 1
        ? {
            multiCarriageDetails: carriages.map(({ sequence, name, load: own }) => ({
              ...(name === null ? {} : { label: name }),
              ...occupancyOf(own),
              carriageSequence: sequence,
            })),
          }
        : {}),
    },
  };
}

function occupancyOf(load: Load | null) {
  return {
    occupancyStatus: toOccupancyStatus(load),
    ...(load ? { occupancyPercentage: toOccupancyPercentage(load) } : {}),
  };
}

const posix = (ms: number): string => String(Math.floor(ms / 1000));
