// API calls for the GTFS-Realtime feed of an account's vehicles, and its token (SE-06, ADR 0024).
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { endpoint } from "../kit/endpoint.ts";
import { occupancyStatuses } from "./feed.ts";

const tokenState = z.object({
  createdAt: z.string().nullable(),
});
export type FeedToken = z.output<typeof tokenState>;

export const getFeedToken = endpoint("getFeedToken", "GET", "/auth/feed-token", {
  summary: "Whether the caller's account has a GTFS-Realtime feed, and since when its present address is valid",
  reply: tokenState,
});
export const createFeedToken = endpoint("createFeedToken", "POST", "/auth/feed-token", {
  perMinute: 30,
  summary:
    "Makes the address of the account's feed, which is shown once; one that was made before opens nothing any more",
  secret: true,
  reply: tokenState.extend({ url: z.string() }),
});
export const endFeedToken = endpoint("endFeedToken", "DELETE", "/auth/feed-token", {
  perMinute: 30,
  summary: "Revokes the address of the account's feed at once",
  reply: tokenState,
});

const status = z.enum(occupancyStatuses);
/** Seconds since 1970. A string, because protobuf's JSON mapping writes 64-bit numbers as strings. */
const posixTime = z.string();

/** A FeedMessage in protobuf's JSON mapping, limited to the fields that the server sets. */
const feedMessageSchema = z.object({
  header: z.object({
    gtfsRealtimeVersion: z.literal("2.0"),
    incrementality: z.literal("FULL_DATASET"),
    timestamp: posixTime,
  }),
  entity: z.array(
    z.object({
      id: z.string(),
      vehicle: z.object({
        vehicle: z.object({ id: z.string() }),
        position: z
          .object({
            latitude: z.number(),
            longitude: z.number(),
            bearing: z.number().optional(),
            speed: z.number().optional(),
          })
          .optional(),
        timestamp: posixTime.optional(),
        occupancyStatus: status,
        occupancyPercentage: z.int().optional(),
        multiCarriageDetails: z
          .array(
            z.object({
              label: z.string().optional(),
              occupancyStatus: status,
              occupancyPercentage: z.int().optional(),
              carriageSequence: z.int(),
            }),
          )
          .optional(),
      }),
    }),
  ),
});
export type FeedMessage = z.output<typeof feedMessageSchema>;

export const getVehiclePositions = endpoint("getVehiclePositions", "GET", "/gtfs-realtime/{id}/vehicle-positions", {
  root: "/data",
  caller: "public",
  summary:
    "GTFS-Realtime VehiclePositions with the occupancy of the coaches of the account and of those below it, as far as it may view them, as protocol buffers (application/x-protobuf) or JSON; for the account's feed token, as bearer or `token`",
  params: z.strictObject({ id: boundedText(64) }),
  query: z.strictObject({
    token: boundedText(200).optional(),
    /** By default JSON if the client accepts only JSON, otherwise protobuf. */
    format: z.enum(["protobuf", "json"]).optional(),
  }),
  reply: feedMessageSchema,
});
