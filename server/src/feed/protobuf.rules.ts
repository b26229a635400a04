// Encodes a FeedMessage as protocol buffers. Supports only the fields of gtfs-realtime.proto that the feed uses.
import type { FeedMessage } from "@psp/contract/feed/feed.api.ts";

/** Maps each field name of the JSON mapping to its field number and kind. `values` maps the names of an enum to its numbers. */
type Shape = { [name: string]: readonly [number: number, kind: Kind] };
type Kind = "text" | "uint" | "float" | { values: Readonly<Record<string, number>> } | { message: Shape };

const occupancyStatus: Kind = {
  values: {
    EMPTY: 0,
    MANY_SEATS_AVAILABLE: 1,
    FEW_SEATS_AVAILABLE: 2,
    STANDING_ROOM_ONLY: 3,
    FULL: 5,
    NOT_ACCEPTING_PASSENGERS: 6,
    NO_DATA_AVAILABLE: 7,
  },
};
const carriage: Shape = {
  label: [2, "text"],
  occupancyStatus: [3, occupancyStatus],
  occupancyPercentage: [4, "uint"],
  carriageSequence: [5, "uint"],
};
const position: Shape = {
  latitude: [1, "float"],
  longitude: [2, "float"],
  bearing: [3, "float"],
  speed: [5, "float"],
};
const vehiclePosition: Shape = {
  position: [2, { message: position }],
  timestamp: [5, "uint"],
  vehicle: [8, { message: { id: [1, "text"] } }],
  occupancyStatus: [9, occupancyStatus],
  occupancyPercentage: [10, "uint"],
  multiCarriageDetails: [11, { message: carriage }],
};
const header: Shape = {
  gtfsRealtimeVersion: [1, "text"],
  incrementality: [2, { values: { FULL_DATASET: 0 } }],
  timestamp: [3, "uint"],
};
const feedMessage: Shape = {
  header: [1, { message: header }],
  entity: [2, { message: { id: [1, "text"], vehicle: [4, { message: vehiclePosition }] } }],
};

export function toProtobuf(message: FeedMessage): Buffer {
  return encode(feedMessage, message);
}

function encode(shape: Shape, message: object): Buffer {
  const parts = Object.entries(shape).flatMap(([name, [number, kind]]) => {
    const given: unknown = Reflect.get(message, name);
    const values: unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given];
    return values.flatMap((value) => field(number, kind, value));
  });
  return Buffer.concat(parts);
}

const wire = { varint: 0, bytes: 2, fixed32: 5 } as const;

function field(number: number, kind: Kind, value: unknown): Buffer[] {
  const tag = (type: number) => varint(number * 8 + type);
  if (kind === "uint") return [tag(wire.varint), varint(Number(value))];
  if (kind === "float") {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(Number(value));
    return [tag(wire.fixed32), bytes];
  }
  if (kind !== "text" && "values" in kind) return [tag(wire.varint), varint(kind.values[String(value)] ?? 0)];
  const bytes = kind === "text" ? Buffer.from(String(value)) : encode(kind.message, value as object);
  return [tag(wire.bytes), varint(bytes.length), bytes];
}

/** Encodes seven bits per byte, lowest first. All bytes but the last have the eighth bit set. Exact up to 2^53. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}
