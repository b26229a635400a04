// Checks that the public GTFS-Realtime library decodes our bytes to the same message.
import type { FeedMessage } from "@psp/contract/feed/feed.api.ts";
import { occupancyStatuses } from "@psp/contract/feed/feed.ts";
import fc from "fast-check";
import bindings from "gtfs-realtime-bindings";
import { expect, test } from "vitest";
import { toProtobuf } from "./protobuf.rules.ts";

const { FeedMessage: Reader } = bindings.transit_realtime;

const read = (bytes: Uint8Array): unknown => Reader.toObject(Reader.decode(bytes), { longs: String, enums: String });

const status = fc.constantFrom(...occupancyStatuses);
const float = (max: number) => fc.integer({ min: -max * 64, max: max * 64 }).map((n) => n / 64 + 0);
const text = fc.string({ unit: "grapheme", maxLength: 200 });
const posix = fc.maxSafeNat().map(String);
const some = { noNullPrototype: true } as const;
const message: fc.Arbitrary<FeedMessage> = fc.record(
  {
    header: fc.record(
      { gtfsRealtimeVersion: fc.constant("2.0"), incrementality: fc.constant("FULL_DATASET"), timestamp: posix },
      some,
    ),
    entity: fc.array(
      fc.record(
        {
          id: text,
          vehicle: fc.record(
            {
              vehicle: fc.record({ id: text }, some),
              position: fc.record(
                { latitude: float(90), longitude: float(180), bearing: float(360), speed: float(100) },
                { ...some, requiredKeys: ["latitude", "longitude"] },
              ),
              timestamp: posix,
              occupancyStatus: status,
              occupancyPercentage: fc.nat(2 ** 31 - 1),
              multiCarriageDetails: fc.array(
                fc.record(
                  {
                    label: text,
                    occupancyStatus: status,
                    occupancyPercentage: fc.nat(2 ** 31 - 1),
                    carriageSequence: fc.nat(20),
                  },
                  { ...some, requiredKeys: ["occupancyStatus", "carriageSequence"] },
                ),
                { minLength: 1, maxLength: 20 },
              ),
            },
            { ...some, requiredKeys: ["vehicle", "occupancyStatus"] },
          ),
        },
        some,
      ),
      { minLength: 1, maxLength: 8 },
    ),
  },
  some,
) as fc.Arbitrary<FeedMessage>;

test("random feeds are decoded unchanged by the public reader", { tags: "prove" }, () => {
  fc.assert(
    fc.property(message, (said) => {
      expect(read(toProtobuf(said))).toEqual(said);
    }),
    { seed: 2026, numRuns: 1000 },
  );
});

test("a feed without vehicles is complete", () => {
  const header = { gtfsRealtimeVersion: "2.0", incrementality: "FULL_DATASET", timestamp: "1790000000" } as const;
  expect(read(toProtobuf({ header, entity: [] }))).toEqual({ header });
});
