// Remote functions: checks right and options, writes the audit row, then sends the request to the sensor
// (docs/rules/sensors.md#remote-functions).
import { errorCode, isServerErrorCode } from "@psp/contract/errors.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import {
  networkResetSchema,
  type RemoteCall,
  type RemoteFunction,
  remoteFunctions,
  limitSnapshot,
  snapshotSchema,
  uploadTestSchema,
} from "@psp/contract/sensor/sensor.remote.api.ts";
import { parseMac } from "@psp/contract/kit/mac.ts";
import { isBoundedJson, findUnstorablePath } from "@psp/contract/section/bounded-json.ts";
import { toInputError } from "@psp/contract/kit/safe-text.ts";
import { z } from "zod";
import { requireConsent } from "../owned/consent.ts";
import { getOwner, type OwnerWithPath } from "../owned/owner.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { writeOnceOnly } from "../db/write.ts";
import type { DeviceRefusal, DeviceCalls } from "../device/command/request.ts";
import { seal, unseal } from "../kit/sealing.ts";
import { sensorReasons } from "./sensor.reasons.ts";
import * as store from "./sensor.store.ts";

/** Dependencies that exist only once the server runs. */
export type RemoteDependencies = {
  devices: () => DeviceCalls | null;
  url: () => string;
};

/** Numeric device codes that are passed to the caller unchanged. */
const passedThrough: ReadonlySet<number> = new Set([
  errorCode.sensorError,
  errorCode.comLinkMeasurement,
  errorCode.messageMeasurement,
  errorCode.rpcReply,
  errorCode.terminateMeasurement,
  errorCode.configureMeasurement,
  errorCode.changeMeasurement,
  errorCode.terminateSensor,
]);
const imageType = /^image\/(?:jpeg|png|webp)$/;
const base64 = z.base64();
const uploadBytes = 262_144;
/** An upload may start shortly after the request timed out; the ticket expires this much later. */
const ticketSpareMs = 60_000;
const ticketPurpose = "upload-test";

/** Waits for the response. Throws 503 to 511 for failures on the way or in the sensor (SE-11, ER-01). */
export async function requestSensor(
  ctx: Context,
  caller: Caller,
  id: string,
  call: RemoteCall,
  parts: RemoteDependencies,
) {
  const { func, data } = await authorize(ctx, caller, id, call, "request", parts);
  const answer = await callDevice(parts, (devices) => devices.call(id, func, data, call.timeout));
  if (!answer.ok) throw toRefusalError(answer);
  if (!base64.safeParse(answer.data).success)
    throw new AppError(errorCode.invalidRpc, { reason: "The response is not base64" });
  if (func === "getSnapshot" && answer.ct !== null && !imageType.test(answer.ct)) {
    throw new AppError(errorCode.invalidRpc, { reason: "The response is not a picture" });
  }
  return answer;
}

export async function publishToSensor(
  ctx: Context,
  caller: Caller,
  id: string,
  call: RemoteCall,
  parts: RemoteDependencies,
) {
  const { func, data } = await authorize(ctx, caller, id, call, "publish", parts);
  await callDevice(parts, (devices) => devices.send(id, func, data, call.timeout));
  return {};
}

/** Returns the sensor of an upload ticket; throws 105 if it is invalid or expired. */
export function requireUploadTicket(ctx: Context, ticket: string): string {
  try {
    const text = unseal(ctx.config, ticketPurpose, Buffer.from(ticket, "base64url"));
    const { id, until } = JSON.parse(text) as { id: string; until: number };
    if (ctx.clock.now() <= until) return id;
  } catch {
    // A forged or truncated ticket gets 105 like an unknown one.
  }
  throw new AppError(errorCode.notFound);
}

async function authorize(
  ctx: Context,
  caller: Caller,
  id: string,
  call: RemoteCall,
  via: "request" | "publish",
  parts: RemoteDependencies,
): Promise<{ func: RemoteFunction; data: string }> {
  const row = await store.findSensor(ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  const { func } = call;
  if (!isRemoteFunction(func))
    throw new AppError(errorCode.invalidRpc, { field: "func", reason: "There is no such function" });
  const owner = await getOwner(ctx.db, row.owner_id);
  const mayEdit = canEdit(caller, "sensor", owner);
  if (remoteFunctions[func].right === "edit" && !mayEdit)
    throw new AppError(errorCode.noEdit, sensorReasons.edit(caller, owner));
  await requireConsent(ctx, caller, owner, { id, num: row.num }, remoteFunctions[func].right);
  const data = dataFor(ctx, func, id, call, { url: parts.url(), mayEdit });
  // For a picture, audits the applied limits instead of the requested ones.
  await auditUse(ctx, caller, { id, owner, via, call, func, data: func === "getSnapshot" ? data : (call.data ?? "") });
  return { func, data };
}

function isRemoteFunction(func: string): func is RemoteFunction {
  return Object.hasOwn(remoteFunctions, func);
}

function dataFor(
  ctx: Context,
  func: RemoteFunction,
  id: string,
  call: RemoteCall,
  { url, mayEdit }: { url: string; mayEdit: boolean },
): string {
  const given = call.data ?? "";
  switch (func) {
    case "getSnapshot": {
      const options = limitSnapshot(optionsOf(snapshotSchema, given), mayEdit);
      return options === null ? "" : toData(options);
    }
    case "generalUploadTest": {
      const options = optionsOf(uploadTestSchema, given);
      // Sensors must not become attack tools: they upload only to this server.
      if (options.url !== undefined && URL.parse(options.url)?.origin !== new URL(url).origin) {
        throw new AppError(errorCode.invalidArgument, { field: "data.url", reason: "Only an address of this server" });
      }
      const until = ctx.clock.now() + call.timeout + ticketSpareMs;
      const ticket = seal(ctx.config, ticketPurpose, JSON.stringify({ id, until })).toString("base64url");
      const target = options.url ?? `${url}/device/v1/upload-test/${ticket}`;
      return toData({ url: target, bytes: options.bytes ?? uploadBytes });
    }
    case "resetNetworkConfig": {
      const { confirm } = optionsOf(networkResetSchema, given);
      if (confirm !== undefined && parseMac(confirm) !== id) {
        throw new AppError(errorCode.invalidArgument, {
          field: "data.confirm",
          reason: "The confirmation names another sensor",
        });
      }
      return toData({ confirm: id });
    }
  }
}

function optionsOf<S extends z.ZodType>(schema: S, data: string): z.output<S> {
  const given = data === "" ? {} : jsonOf(data);
  if (given === undefined)
    throw new AppError(errorCode.invalidArgument, { field: "data", reason: "This is not JSON in base64" });
  const unstorable = isBoundedJson(given) ? findUnstorablePath(given, "data") : null;
  if (unstorable !== null)
    throw new AppError(errorCode.invalidInput, { field: unstorable, reason: "Remove special characters" });
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { code, field, message } = toInputError(parsed.error);
  throw new AppError(isServerErrorCode(code) ? code : errorCode.invalidArgument, {
    field: field ? `data.${field}` : "data",
    reason: message,
  });
}

function jsonOf(data: string): unknown {
  try {
    return JSON.parse(Buffer.from(data, "base64").toString("utf8"));
  } catch {
    return undefined;
  }
}

function toData(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

type Use = { id: string; owner: OwnerWithPath; via: string; call: RemoteCall; func: RemoteFunction; data: string };

/**
 * Writes the audit row before the request. Responses are not stored, so a repeat with the same idempotency key gets 409 instead of a second
 * request.
 */
async function auditUse(ctx: Context, caller: Caller, { id, owner, via, call, func, data }: Use): Promise<void> {
  const reason = "This idempotency key was already used, and the response was not kept";
  await writeOnceOnly(ctx, caller, reason, async (w) => {
    w.audit({
      action: func,
      object: { type: "sensor", _id: id },
      owner,
      after: { via, data: data === "" ? null : (jsonOf(data) ?? data), timeout: call.timeout },
    });
  });
}

async function callDevice<T>(parts: RemoteDependencies, ask: (devices: DeviceCalls) => Promise<T>): Promise<T> {
  const devices = parts.devices();
  if (!devices) throw new AppError(errorCode.comLinkSensor, { reason: "No gateway runs" });
  try {
    return await ask(devices);
  } catch (error) {
    throw error instanceof AppError ? error : new AppError(errorCode.sensorError, undefined, { cause: error });
  }
}

/** 510, or the device's own code if it is one that is passed through. */
function toRefusalError({ code, message }: DeviceRefusal): AppError {
  const number = Number(code);
  const details = { deviceCode: code, message };
  return new AppError(
    passedThrough.has(number) && isServerErrorCode(number) ? number : errorCode.messageSensor,
    details,
  );
}
