// Remote functions: checks right and options, writes the audit row, then asks the sensor (docs/rules/sensors.md#remote-functions).
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
import { ownerOf, type PlacedOwner } from "../owned/owner.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { writeOnceOnly } from "../db/write.ts";
import type { Refusal, DeviceCalls } from "../device/command/request.ts";
import { seal, unseal } from "../kit/sealing.ts";
import { sensorReasons } from "./sensor.reasons.ts";
import * as store from "./sensor.store.ts";

/** What is only there once the server runs. */
export type RemoteParts = {
  /** Null as long as no gateway can be reached. */
  devices: () => DeviceCalls | null;
  /** Address that devices reach us at. */
  url: () => string;
};

/** Numeric codes of devices that are passed on to the caller unchanged. */
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
/** The upload may begin a little after the request timed out; the ticket must not live much longer. */
const ticketSpareMs = 60_000;
const ticketPurpose = "upload-test";

/** Asks and waits for the answer: 503 to 511 say what went wrong on the way or in the sensor (SE-11, ER-01). */
export async function requestSensor(ctx: Context, caller: Caller, id: string, call: RemoteCall, parts: RemoteParts) {
  const { func, data } = await permit(ctx, caller, id, call, "request", parts);
  const answer = await reach(parts, (devices) => devices.ask(id, func, data, call.timeout));
  if (!answer.ok) throw refusedBy(answer);
  if (!base64.safeParse(answer.data).success)
    throw new AppError(errorCode.invalidRpc, { reason: "The answer is not base64" });
  if (func === "getSnapshot" && answer.ct !== null && !imageType.test(answer.ct)) {
    throw new AppError(errorCode.invalidRpc, { reason: "The answer is no picture" });
  }
  return answer;
}

/** Sends the request without waiting for an answer. */
export async function publishToSensor(ctx: Context, caller: Caller, id: string, call: RemoteCall, parts: RemoteParts) {
  const { func, data } = await permit(ctx, caller, id, call, "publish", parts);
  await reach(parts, (devices) => devices.tell(id, func, data, call.timeout));
  return {};
}

/** The sensor that an upload ticket was made for, 105 when it is none or too old. */
export function requireUploadTicket(ctx: Context, ticket: string): string {
  try {
    const text = unseal(ctx.config, ticketPurpose, Buffer.from(ticket, "base64url"));
    const { id, until } = JSON.parse(text) as { id: string; until: number };
    if (ctx.clock.now() <= until) return id;
  } catch {
    // A forged or cut ticket opens nothing, like one that never was.
  }
  throw new AppError(errorCode.notFound);
}

/** Right, rule, record: afterwards the request may leave. */
async function permit(
  ctx: Context,
  caller: Caller,
  id: string,
  call: RemoteCall,
  via: "request" | "publish",
  parts: RemoteParts,
): Promise<{ func: RemoteFunction; data: string }> {
  const row = await store.findSensor(ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  const { func } = call;
  if (!isRemoteFunction(func))
    throw new AppError(errorCode.invalidRpc, { field: "func", reason: "There is no such function" });
  const owner = await ownerOf(ctx.db, row.owner_id);
  const mayEdit = canEdit(caller, "sensor", owner);
  if (remoteFunctions[func].right === "edit" && !mayEdit)
    throw new AppError(errorCode.noEdit, sensorReasons.edit(caller, owner));
  await requireConsent(ctx, caller, owner, { id, num: row.num }, remoteFunctions[func].right);
  const data = dataFor(ctx, func, id, call, { url: parts.url(), mayEdit });
  // Of a picture the record says what was asked for, which may be less than what was wanted.
  await record(ctx, caller, { id, owner, via, call, func, data: func === "getSnapshot" ? data : (call.data ?? "") });
  return { func, data };
}

function isRemoteFunction(func: string): func is RemoteFunction {
  return Object.hasOwn(remoteFunctions, func);
}

/** What the device gets to read: the picture's limits, the upload's address and the reset's confirmation come from here. */
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
      // Sensors must not become attack tools: they upload to us and to no one else.
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
        throw new AppError(errorCode.invalidArgument, { field: "data.confirm", reason: "Another sensor is meant" });
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

/** Undefined for what is no JSON. */
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

type Use = { id: string; owner: PlacedOwner; via: string; call: RemoteCall; func: RemoteFunction; data: string };

/**
 * Every use is on record before it happens. Answers are not kept, so a repeat under the same idempotency key gets 409
 * instead of asking the device once more.
 */
async function record(ctx: Context, caller: Caller, { id, owner, via, call, func, data }: Use): Promise<void> {
  const reason = "The sensor was asked under this key already; its answer was not kept";
  await writeOnceOnly(ctx, caller, reason, async (w) => {
    w.audit({
      action: func,
      object: { type: "sensor", _id: id },
      owner,
      after: { via, data: data === "" ? null : (jsonOf(data) ?? data), timeout: call.timeout },
    });
  });
}

async function reach<T>(parts: RemoteParts, ask: (devices: DeviceCalls) => Promise<T>): Promise<T> {
  const devices = parts.devices();
  if (!devices) throw new AppError(errorCode.comLinkSensor, { reason: "No gateway runs" });
  try {
    return await ask(devices);
  } catch (error) {
    throw error instanceof AppError ? error : new AppError(errorCode.sensorError, undefined, { cause: error });
  }
}

/** A device that says no earns 510, or the number that it names itself. */
function refusedBy({ code, message }: Refusal): AppError {
  const number = Number(code);
  const details = { deviceCode: code, message };
  return new AppError(
    passedThrough.has(number) && isServerErrorCode(number) ? number : errorCode.messageSensor,
    details,
  );
}
