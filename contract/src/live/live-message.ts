// Messages of the live channel: one per changed object, sent only to accounts that may see it (docs/rules/live-channel.md#messages).
// Parsed without a schema, because every page after the login listens and most pages need no validator (ADR 0027).

export const liveTypes = [
  "account",
  "role",
  "sensor",
  "measurement",
  "artifact",
  "init-token",
  "event",
  "issue",
  "report",
] as const;
export type LiveType = (typeof liveTypes)[number];
export const liveOps = ["create", "update", "delete"] as const;
export type LiveOp = (typeof liveOps)[number];

type StreamPosition = {
  /** Number of the message in this connection, from 1. */
  seq: number;
  /** Opaque. Send it as `since` to resume after this message. */
  cursor: string;
};

type ObjectChanged = { type: LiveType; op: LiveOp; obj: { _id: string; [field: string]: unknown } };

/** Tells that counts of one sensor were stored. `from` and `to` are the first and last instant of the records. */
type CountsStored = {
  type: "datapoint";
  op: "create";
  /** `measID` is the location of the counts; null if the sensor had none. */
  obj: { measID: string | null; sens: string; type: "counting"; from: string; to: string };
};

/**
 * New levels of a vehicle; `coaches` are only the changed ones. `create` means that coaches came to this vehicle or left it, `delete`
 * that it has none any more. Not repeated after a reconnect.
 */
type VehicleChanged = {
  type: "vehicle";
  op: LiveOp;
  obj: { _id: string; coaches: { sequence: number }[]; [field: string]: unknown };
};

/**
 * `resync` means that the client missed too much and must reload everything. `hello` is the first message of a connection, or
 * follows the missed messages if the client resumes.
 */
type ChannelState = { type: "resync" | "hello" };

export type CountsStoredMessage = CountsStored & StreamPosition;
export type VehicleMessage = VehicleChanged & StreamPosition;
export type LiveMessage =
  | (ObjectChanged & StreamPosition)
  | CountsStoredMessage
  | VehicleMessage
  | (ChannelState & StreamPosition);

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isOneOf = <T extends string>(words: readonly T[], value: unknown): value is T =>
  words.some((one) => one === value);

/** Parses a message; returns null if it is invalid. Drops unknown fields, except those of a changed object. */
export function parseLiveMessage(value: unknown): LiveMessage | null {
  if (!isFields(value)) return null;
  const { type, op, obj, seq, cursor } = value;
  if (!Number.isSafeInteger(seq) || typeof seq !== "number" || typeof cursor !== "string") return null;
  const position = { seq, cursor };
  if (type === "hello" || type === "resync") return { type, ...position };
  if (!isFields(obj)) return null;
  if (type === "datapoint") return op === "create" ? parseCounts(obj, position) : null;
  if (type === "vehicle") return parseVehicle(op, obj, position);
  const { _id } = obj;
  if (!isOneOf(liveTypes, type) || !isOneOf(liveOps, op) || typeof _id !== "string") return null;
  return { type, op, obj: { ...obj, _id }, ...position };
}

function parseCounts({ measID, sens, type, from, to }: Fields, position: StreamPosition): CountsStoredMessage | null {
  if (measID !== null && typeof measID !== "string") return null;
  if (type !== "counting" || typeof sens !== "string" || typeof from !== "string" || typeof to !== "string")
    return null;
  return { type: "datapoint", op: "create", obj: { measID, sens, type, from, to }, ...position };
}

function parseVehicle(op: unknown, obj: Fields, position: StreamPosition): VehicleMessage | null {
  const { _id, coaches } = obj;
  if (!isOneOf(liveOps, op) || typeof _id !== "string" || !Array.isArray(coaches)) return null;
  const isCoach = (value: unknown): value is { sequence: number } =>
    isFields(value) && typeof value["sequence"] === "number";
  return coaches.every(isCoach) ? { type: "vehicle", op, obj: { ...obj, _id, coaches }, ...position } : null;
}
