// Validates JSON-RPC 2.0 requests to a device, and its responses, by sensor type.
import { z } from "zod";
import { errorCode } from "../errors.ts";
import { boundedText, deviceText } from "../kit/bounded-text.ts";
import { toInputError } from "../kit/safe-text.ts";
import type { SensorType } from "../device/sensor-type.ts";
import { isBoundedJson, findUnstorablePath } from "./bounded-json.ts";
import type { FieldError } from "./check/check-field.ts";
import { validateValues } from "./check/check.ts";
import type { Section, Values } from "./field.ts";
import { previewSchemas } from "./preview.ts";
import { type PreviewKind, previewKinds, previewsOf, sectionOf } from "./sections.ts";
import { isPlainObject } from "./values.ts";
import { revisionSchema, sectionResponseSchema, requestValuesSchema } from "./wire.ts";

/** Methods that users may call, with the required right. `config.confirm` is reserved for the server. */
export const rpcMethods = {
  "config.get": { right: "view" },
  "config.set": { right: "edit" },
  "device.restart": { right: "edit" },
  "preview.get": { right: "view" },
} as const satisfies Record<string, { right: "view" | "edit" }>;
export type RpcMethod = keyof typeof rpcMethods;
const methods = Object.keys(rpcMethods) as [RpcMethod, ...RpcMethod[]];

export const rpcTimeoutMs = 10_000;
export const maxRpcBytes = 1024 * 1024;

/** Errors of devices that are passed to the browser as JSON-RPC errors, with HTTP status 200. */
export const rpcErrors = {
  invalidParams: -32602,
  unknownMethod: -32601,
  busy: -32001,
  otherRevision: -32002,
  notSupported: -32004,
} as const;

const params = z
  .unknown()
  .superRefine((value, ctx) => {
    const refuse = (code: number, message: string) => ctx.addIssue({ code: "custom", message, params: { code } });
    if (value === undefined) refuse(errorCode.missingArgument, "Required");
    else if (!isPlainObject(value)) refuse(errorCode.invalidFieldType, "Wrong type");
    else if (!isBoundedJson(value)) refuse(errorCode.invalidArgument, "Too large");
  })
  .meta({ type: "object" });

/** A single request; `validateRpc` checks the params by method and sensor type. */
export const rpcBodySchema = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.int().min(0).lt(1_000_000_000),
  method: z.enum(methods),
  params,
});

const paramsOf = {
  "config.get": z.strictObject({ section: boundedText(64) }),
  "config.set": z.strictObject({ section: boundedText(64), values: z.unknown(), rev: revisionSchema }),
  "device.restart": z.strictObject({}),
  "preview.get": z.strictObject({ kind: boundedText(64), camera: boundedText(64).check(z.minLength(1)).optional() }),
} as const satisfies Record<RpcMethod, z.ZodType>;

export type RpcCall =
  | { method: "config.get"; section: Section }
  | { method: "config.set"; section: Section; values: Values; rev: number }
  | { method: "device.restart" }
  | { method: "preview.get"; kind: PreviewKind; camera?: string };
/** The error code and the invalid field of the body. Invalid section values also have a message per field. */
export type RpcValidationError = { code: number; field: string; message: string; fields?: readonly FieldError[] };
type Judged = { id: number; call: RpcCall; fault?: never } | { fault: RpcValidationError; call?: never };

/** Last known values of the sensor's sections, by section key. */
export type StoredSections = Readonly<Record<string, unknown>>;

/** Validates a request for this sensor type. Has no side effects and never throws. */
export function validateRpc(type: SensorType, body: unknown, stored: StoredSections = {}): Judged {
  if (Array.isArray(body))
    return { fault: { code: errorCode.invalidArgument, field: "", message: "Only one request at a time" } };
  const outer = read(rpcBodySchema, body, "");
  if ("fault" in outer) return outer;
  const unstorable = findUnstorablePath(outer.data.params, "params");
  if (unstorable !== null)
    return { fault: { code: errorCode.invalidInput, field: unstorable, message: "Remove special characters" } };
  const { id, method } = outer.data;
  const call = callOf(type, method, outer.data.params, stored);
  return "fault" in call ? call : { id, call: call.data };
}

type Read<T> = { data: T } | { fault: RpcValidationError };

function read<T>(schema: z.ZodType<T>, value: unknown, at: string): Read<T> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { data: result.data };
  const { code, field, message } = toInputError(result.error);
  return { fault: { code, field: [at, field].filter((step) => step !== "").join("."), message } };
}

const none = (field: string): { fault: RpcValidationError } => ({
  fault: { code: errorCode.invalidArgument, field, message: "Not available for this sensor type" },
});

function callOf(type: SensorType, method: RpcMethod, given: unknown, stored: StoredSections): Read<RpcCall> {
  switch (method) {
    case "config.get": {
      const asked = read(paramsOf[method], given, "params");
      if ("fault" in asked) return asked;
      const section = sectionOf(type, asked.data.section);
      return section === null ? none("params.section") : { data: { method, section } };
    }
    case "config.set": {
      const asked = read(paramsOf[method], given, "params");
      return "fault" in asked ? asked : settingOf(type, asked.data, stored);
    }
    case "device.restart": {
      const asked = read(paramsOf[method], given, "params");
      if ("fault" in asked) return asked;
      return sectionsExist(type) ? { data: { method } } : none("method");
    }
    case "preview.get": {
      const asked = read(paramsOf[method], given, "params");
      return "fault" in asked ? asked : previewOf(type, asked.data);
    }
  }
}

/** All sensor types that support JSON-RPC have previews. */
const sectionsExist = (type: SensorType) => previewsOf[type].length > 0;

type Setting = z.output<(typeof paramsOf)["config.set"]>;

function settingOf(type: SensorType, { section: key, values, rev }: Setting, stored: StoredSections): Read<RpcCall> {
  const section = sectionOf(type, key);
  if (section === null) return none("params.section");
  const given = read(requestValuesSchema(section), values, "params.values");
  if ("fault" in given && formCodes.has(given.fault.code))
    return { fault: { ...given.fault, code: plainCode(given.fault.code) } };
  const judged = "fault" in given ? values : given.data;
  const fields = validateValues(section, judged, { stored: stored[key], others: stored });
  const [first] = fields;
  if (first !== undefined)
    return {
      fault: { code: errorCode.invalidArgument, field: `params.values.${first.path}`, message: first.message, fields },
    };
  // The wire schema also rejects oversized values that validation skips, such as a text in a field that doesn't apply.
  return "fault" in given ? given : { data: { method: "config.set", section, values: given.data, rev } };
}

/** Replaces the special codes that toInputError returns for missing fields such as `name`, which are ordinary fields in sections. */
const plainCode = (code: number) =>
  code === errorCode.invalidFieldType ? errorCode.invalidFieldType : errorCode.missingArgument;
/** Codes of missing fields and wrong types. These errors have no message per field. */
const formCodes: ReadonlySet<number> = new Set([
  errorCode.missingArgument,
  errorCode.nameMissing,
  errorCode.passwordMissing,
  errorCode.invalidFieldType,
]);

function previewOf(
  type: SensorType,
  { kind: name, camera }: z.output<(typeof paramsOf)["preview.get"]>,
): Read<RpcCall> {
  const kind = previewKinds.find((one) => one === name && previewsOf[type].some((page) => page.kind === one));
  if (kind === undefined) return none("params.kind");
  if (camera === undefined) return { data: { method: "preview.get", kind } };
  return kind === "cameras" ? { data: { method: "preview.get", kind, camera } } : none("params.camera");
}

export function toRpcParams(call: RpcCall): Record<string, unknown> {
  switch (call.method) {
    case "config.get":
      return { section: call.section.key };
    case "config.set":
      return { section: call.section.key, values: call.values, rev: call.rev };
    case "device.restart":
      return {};
    case "preview.get":
      return { kind: call.kind, ...(call.camera === undefined ? {} : { camera: call.camera }) };
  }
}

const seconds = z.number().min(0).max(3600);
const setResultSchema = z.object({
  rev: revisionSchema,
  applied: z.enum(["now", "restart", "confirm"]),
  confirmWithinS: seconds.optional(),
});
export type SetResult = z.output<typeof setResultSchema>;
const restartResultSchema = z.object({ backInS: seconds });
export type RestartResult = z.output<typeof restartResultSchema>;

export function rpcResultSchema(call: RpcCall): z.ZodType {
  switch (call.method) {
    case "config.get":
      return sectionResponseSchema(call.section);
    case "config.set":
      return setResultSchema;
    case "device.restart":
      return restartResultSchema;
    case "preview.get":
      return previewSchemas[call.kind];
  }
}

/** A text from a device, truncated to 200 characters and shown as plain text. */
const sentence = deviceText(200);
const mostSentences = 100;
const sentenceAt = z.object({ path: sentence, message: sentence });

/** If `data` is invalid, only `data` is dropped and the error is kept. */
export const rpcErrorSchema = z.object({
  code: z.int(),
  message: sentence,
  data: z
    .object({
      fields: z
        .array(z.unknown())
        .transform((fields) =>
          fields.slice(0, mostSentences).flatMap((field) => sentenceAt.safeParse(field).data ?? []),
        )
        .optional(),
    })
    .optional()
    .catch(undefined),
});
export type RpcError = z.output<typeof rpcErrorSchema>;

const answerBase = { jsonrpc: z.literal("2.0"), id: z.int() };
/** A device response: either a result or an error. `rpcResultSchema` validates the result. */
export const rpcResponseSchema = z.union([
  z.object({
    ...answerBase,
    result: z.unknown().refine((result) => result !== undefined, { error: "Required" }),
    error: z.never().optional(),
  }),
  z.object({ ...answerBase, error: rpcErrorSchema, result: z.never().optional() }),
]);
export type RpcResponse = z.output<typeof rpcResponseSchema>;

/** Response to config.confirm, which confirms that the sensor is reachable after a change that may have cut the connection. */
export const confirmResultSchema = z.object({ rev: revisionSchema });
