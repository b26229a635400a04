// Generates values from the call table's schemas: sensible ones, and problematic ones.
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import fc from "fast-check";
import { z } from "zod";

/** Ids for requests; grows with created objects. `victim` and `role` may be changed and deleted. */
export type IdPool = Record<
  | "account"
  | "victim"
  | "role"
  | "sensor"
  | "batch"
  | "location"
  | "event"
  | "initToken"
  | "report"
  | "firmware"
  | "issue",
  string[]
>;

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  prefixItems?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
};

const schemaOf = (schema: z.ZodType | undefined): Schema =>
  schema ? (z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema) : {};

const id = (kind: keyof IdPool) => fc.nat({ max: 9999 }).map((n) => `@${kind}:${n}`);
export const naturalNumber = (max: number) => fc.nat({ max });
const mac = naturalNumber(0xffff).map((n) => toMac(0x0200_000f_0000 + n));
const email = naturalNumber(99_999).map((n) => `fuzz-${n}@example.com`);
const version = fc.tuple(naturalNumber(9), naturalNumber(9), naturalNumber(999)).map((parts) => parts.join("."));
const instant = fc.constantFrom(
  "2024-05-06T10:00:00Z",
  "2024-05-06T10:05:00Z",
  "2024-05-06T12:05:00+02:00",
  "2024-03-31T01:30:00.123Z",
  "2023-12-31T23:59:59Z",
);
const word = fc.constantFrom("Harbour Shop", "Größe 7", "O'Brien", "north", "日本語", "a", "100%", "x_y", "😀 Hall");

const byName: Record<string, fc.Arbitrary<unknown>> = {
  owner: id("account"),
  account: id("account"),
  keep: id("account"),
  ownerID: id("account"),
  parentID: id("account"),
  who: id("account"),
  directParentAccount: id("account"),
  role: id("role"),
  roleID: id("role"),
  measID: id("location"),
  measIDs: id("location"),
  artifact: id("firmware"),
  artifactRunningID: id("firmware"),
  sensorID: id("sensor"),
  sensorIDs: id("sensor"),
  sens: id("sensor"),
  email,
  password: fc.constantFrom("violet-harbour-lantern", "short"),
  newPassword: fc.constant("copper-meadow-whistle"),
  filter: fc.oneof(
    fc.tuple(id("location"), fc.constantFrom("", ":counting", ":occupancy")).map(([one, type]) => `meas:${one}${type}`),
    id("sensor").map((one) => `sens:${one}`),
  ),
  limit: fc.integer({ min: 1, max: 500 }).map(String),
  skip: naturalNumber(50).map(String),
  connectionTimeout: fc.integer({ min: 1, max: 1000 }).map(String),
  accountState: fc.integer({ min: -2, max: 2 }).map(String),
  acc: fc.constantFrom("day", "week", "month", "year", "total"),
  startUTC: fc.constant("2024-05-06T10:00:00Z"),
  endUTC: fc.constant("2024-05-06T10:05:00Z"),
};

function valueOf(schema: Schema, name: string, call: AnyEndpoint): fc.Arbitrary<unknown> {
  if (name === "_id") return mac;
  if (name === "name" && call.name === "updateFirmware") return version;
  if (name === "type" && call.name === "createDatapoint") return fc.constantFrom("occupancy", "occupancy", "counting");
  const choices = schema.anyOf ?? schema.oneOf;
  if (name === "scope" && schema.properties)
    return fc.oneof(
      fc.record({ measIDs: fc.tuple(id("location")) }),
      fc.record({ tag: word }),
      fc.record({ owner: id("account") }),
    );
  if (call.name === "acknowledgeIssues" && name === "ids") return fc.array(id("issue"), { minLength: 1, maxLength: 2 });
  if (call.name === "getAccess" && name === "type") return fc.constant("sensor");
  if (call.name === "getAccess" && name === "id") return id("sensor");
  if (choices) return fc.oneof(...choices.map((one) => valueOf(one, name, call)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "array") {
    if (schema.prefixItems) return fc.tuple(...schema.prefixItems.map((one) => valueOf(one, name, call)));
    return fc.array(valueOf(schema.items ?? {}, name, call), { minLength: 1, maxLength: 3 });
  }
  if (type === "object") return objectOf(schema, call);
  if (type === "null") return fc.constant(null);
  if (type === "boolean") return fc.boolean();
  if (type === "integer")
    return fc.integer({ min: Math.max(schema.minimum ?? 0, 0), max: Math.min(schema.maximum ?? 1000, 1000) });
  if (type === "number")
    return fc.double({
      min: Math.max(schema.minimum ?? -1000, -1000),
      max: Math.min(schema.maximum ?? 1000, 1000),
      noNaN: true,
    });
  if (type === "string") return byName[name] ?? textOf(schema);
  return fc.jsonValue({ maxDepth: 2 });
}

function textOf({ format, pattern }: Schema): fc.Arbitrary<string> {
  if (format === "uuid") return id("role");
  if (format === "email") return email;
  if (format === "date-time") return instant;
  if (format === "date") return fc.constantFrom("2024-05-06", "2024-05-11", "2024-12-24");
  if (pattern?.includes("\\d")) return naturalNumber(9).map(String);
  return word;
}

function objectOf(
  { properties, required = [], additionalProperties }: Schema,
  call: AnyEndpoint,
): fc.Arbitrary<Record<string, unknown>> {
  if (!properties) {
    if (call.name === "createDatapoint") return fc.record({ count: naturalNumber(500) });
    const inner =
      typeof additionalProperties === "object"
        ? valueOf(additionalProperties, "", call)
        : fc.jsonValue({ maxDepth: 1 });
    return fc.dictionary(fc.constantFrom("count", "a", "b"), inner, { maxKeys: 3 });
  }
  // In batches, optional fields select the sensors, so they are given more often.
  const rarity = call.name.startsWith("batch") || call.name === "acknowledgeIssues" ? 2 : 1;
  const parts = Object.entries(properties).map(([name, schema]) => {
    const value = valueOf(schema, name, call);
    return fc
      .option(value, { nil: undefined, freq: required.includes(name) ? Number.MAX_SAFE_INTEGER : rarity })
      .map((one): [string, unknown] => [name, one]);
  });
  const object = fc.tuple(...parts).map((list) => Object.fromEntries(list.filter(([, value]) => value !== undefined)));
  if (call.name === "acknowledgeIssues") return object.map(acknowledging);
  return call.name.startsWith("batch") ? object.map(aimedAtSome) : object;
}

/**
 * Applies rules that schemas can't express: batches take either ids or a query, and one change at a time. Leaves out
 * the expected count, which would rarely be right.
 */
function aimedAtSome(object: Record<string, unknown>): Record<string, unknown> {
  const { expectedCount: _guess, sensorQuery, changes, ...rest } = object;
  if (!("sensorIDs" in object || "sensorQuery" in object || "changes" in object)) return object;
  const [first] = Object.entries(changes ?? {});
  return {
    ...rest,
    ...("sensorIDs" in object ? {} : { sensorQuery }),
    ...(first ? { changes: { [first[0]]: first[1] as unknown } } : { changes }),
  };
}

/** Either ids or a query, as in batches. */
function acknowledging(object: Record<string, unknown>): Record<string, unknown> {
  if (!("changes" in object)) return object;
  const { expectedCount: _guess, ids, query, ...rest } = object;
  return { ...rest, ...(ids === undefined ? { query } : { ids }) };
}

const pathIds: [RegExp, keyof IdPool][] = [
  [/^\/account/, "victim"],
  [/^\/role/, "role"],
  [/^\/sensor/, "sensor"],
  [/^\/v2\/sensor\/batches/, "batch"],
  [/^\/measurement/, "location"],
  [/^\/v2\/event/, "event"],
  [/^\/init_token/, "initToken"],
  [/^\/report\/\{id\}/, "report"],
  [/^\/artifact/, "firmware"],
  [/^\/(error|v2\/issue)/, "issue"],
];

export type CallInput = { id: string; query: Record<string, unknown>; body: unknown };

export function validInput(call: AnyEndpoint): fc.Arbitrary<CallInput> {
  const kind = pathIds.find(([form]) => form.test(call.path))?.[1] ?? "account";
  const query = call.query ? objectOf(schemaOf(call.query), call) : fc.constant({});
  const body = call.body ? valueOf(schemaOf(call.body), "", call) : fc.constant(null);
  return fc.record({ id: id(kind), query, body });
}

const nasty: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  -0,
  2 ** 53 + 2,
  2 ** 31,
  "",
  " ",
  "0",
  "-1",
  "true",
  "null",
  "undefined",
  "NaN",
  "<b>",
  "{}",
  "[]",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u2028",
  "\u202e",
  "'",
  "';--",
  '"',
  "\\",
  "%",
  "%00",
  "../..",
  "x".repeat(300),
  "x".repeat(5000),
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59-14:00",
  "0001-01-01T00:00:00+14:00",
  "1969-12-31T23:59:59Z",
  "2024-02-30T00:00:00Z",
  "24:00",
  "@account:1",
  "@sensor:1",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "FF:FF:FF:FF:FF:FF",
  "e@e",
  "-_id",
  "_id",
  [],
  [null],
  [[]],
  ["a", "a"],
  {},
  { $ne: null },
  { $gt: "" },
  { toString: "x" },
  { length: -1 },
  JSON.parse('{"__proto__":{"a":1}}'),
  [1, "a", {}],
];
export const problematicValue = fc.constantFrom(...nasty);
