// Reads what the live socket says, as `liveMessageSchema` of the contract does, without the validator: every page behind the
// login listens (ADR 0027).
import type { LiveMessage, LiveOp, LiveType } from "@psp/contract/live/live.ts";

type Facts = Readonly<Record<string, unknown>>;
type Place = Pick<LiveMessage, "seq" | "cursor">;

const types: Readonly<Record<LiveType, true>> = {
  account: true,
  role: true,
  sensor: true,
  measurement: true,
  artifact: true,
  "init-token": true,
  issue: true,
};
const ops: Readonly<Record<LiveOp, true>> = { create: true, update: true, delete: true };

const isFacts = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isOneOf = <K extends string>(words: Readonly<Record<K, true>>, value: unknown): value is K =>
  typeof value === "string" && Object.hasOwn(words, value);

/** Null for what is no message. */
export function liveMessageIn(value: unknown): LiveMessage | null {
  if (!isFacts(value)) return null;
  const { type, op, obj, seq, cursor } = value;
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || typeof cursor !== "string") return null;
  const place = { seq, cursor };
  if (type === "hello" || type === "resync") return { type, ...place };
  if (!isFacts(obj)) return null;
  if (type === "datapoint") return op === "create" ? countsIn(obj, place) : null;
  const { _id } = obj;
  if (!isOneOf(types, type) || !isOneOf(ops, op) || typeof _id !== "string") return null;
  return { type, op, obj: { ...obj, _id }, ...place };
}

function countsIn({ measID, sens, type, from, to }: Facts, place: Place): LiveMessage | null {
  if (measID !== null && typeof measID !== "string") return null;
  if (type !== "counting" || typeof sens !== "string" || typeof from !== "string" || typeof to !== "string")
    return null;
  return { type: "datapoint", op: "create", obj: { measID, sens, type, from, to }, ...place };
}
