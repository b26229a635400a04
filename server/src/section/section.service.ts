// Use cases of the settings pages of ZOD and PS.C1. Sends checked requests to a sensor, and stores its last response
// for when it is unreachable (SE-06, SE-07).
import { errorCode, isServerErrorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import {
  validateRpc,
  maxRpcBytes,
  toRpcParams,
  type RpcResponse,
  rpcResponseSchema,
  type RpcCall,
  rpcErrors,
  rpcMethods,
  rpcResultSchema,
  rpcTimeoutMs,
  type SetResult,
} from "@psp/contract/section/rpc.ts";
import type { callSensorRpc } from "@psp/contract/section/section.api.ts";
import type { SectionResponse } from "@psp/contract/section/wire.ts";
import type { Context } from "../context.ts";
import { toJsonb } from "../db/storable.ts";
import { announceAll, announcing, writeOnceOnly } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import { entityUpdated } from "../kit/bus.ts";
import type { Caller } from "../kit/caller.ts";
import { createKeyedSemaphore } from "../kit/limits/semaphores.ts";
import { requireConsent } from "../owned/consent.ts";
import { getOwner, type OwnerWithPath } from "../owned/owner.ts";
import { sensorReasons } from "../sensor/sensor.reasons.ts";
import { TunnelError, type TunnelReply, type TunnelRequest } from "../tunnel/tunnel.service.ts";
import { createSectionAudit, type RecordedChange } from "./section-audit.service.ts";
import * as store from "./section.store.ts";

type Body = HandlerInput<typeof callSensorRpc>["body"];
/** Sends a request through the sensor's tunnel, whichever process has it. Throws TunnelError. */
export type AskSensor = (sensorId: string, request: TunnelRequest) => Promise<TunnelReply>;

const perSensor = { max: Number.POSITIVE_INFINITY, maxPerKey: 8, retryAfterS: 1 };

export function createSectionService(ctx: Context, ask: AskSensor) {
  const { recordChange, noteLook } = createSectionAudit(ctx);
  const questions = createKeyedSemaphore(perSensor);

  async function requireSensor(caller: Caller, id: string): Promise<store.SectionedSensor> {
    const sensor = await store.findSensor(ctx.db, caller, id);
    if (!sensor) throw new AppError(errorCode.notFound);
    return sensor;
  }

  /** The sensor's response, or the last stored one. Throws 102, 402, 305, 503, 504, 509; 429 beyond the sensor's limit. */
  async function answer(caller: Caller, id: string, body: Body): Promise<RpcResponse> {
    const sensor = await requireSensor(caller, id);
    const known = await store.findSections(ctx.db, sensor.num);
    const call = requireCall(sensor, body, known);
    const owner = await getOwner(ctx.db, sensor.owner_id);
    const mayEdit = canEdit(caller, "sensor", owner);
    if (rpcMethods[call.method].right === "edit" && !mayEdit)
      throw new AppError(errorCode.noEdit, sensorReasons.edit(caller, owner));
    await requireConsent(ctx, caller, owner, sensor, rpcMethods[call.method].right);
    if (rpcMethods[call.method].right === "edit") await requireFirst(caller);
    if (call.method === "preview.get") await noteLook(caller, sensor, owner, call.kind);
    const leave = questions.take(sensor.id);
    try {
      const at = ctx.clock.date();
      const change = await recordChange(caller, sensor, owner, call, known);
      const said = await sendRequest(sensor.id, body.id, call, mayEdit);
      if (said === "unreached") {
        await change?.failed("The sensor was not connected.");
        return { jsonrpc: "2.0", id: body.id, result: toStoredResponse(call, known) };
      }
      if (said.error !== undefined) {
        await change?.failed(said.error.message);
        return said;
      }
      return { ...said, result: await applyEffects(sensor, owner, call, said.result as object, { at, change }) };
    } finally {
      leave();
    }
  }

  /** Throws 509 if the connection broke during a change, whose outcome is then unknown. */
  async function sendRequest(
    sensorId: string,
    id: number,
    call: RpcCall,
    mayEdit: boolean,
  ): Promise<RpcResponse | "unreached"> {
    const { edit, view } = ctx.config.autoLogin;
    const text = JSON.stringify({ jsonrpc: "2.0", id, method: call.method, params: toRpcParams(call) });
    const reply = await ask(sensorId, createRpcRequest(text, mayEdit ? edit : view)).catch((error: unknown) => {
      if (!(error instanceof TunnelError)) throw error;
      if (error.kind === "late") throw new AppError(errorCode.rpcTimeout);
      if (error.kind === "large") throw new AppError(errorCode.invalidRpc, { reason: "The response is too large" });
      if (error.sent && rpcMethods[call.method].right === "edit") throw new AppError(errorCode.comLinkSensor);
      return "unreached" as const;
    });
    return reply === "unreached" ? reply : parseRpcResponse(reply, id, call);
  }

  async function applyEffects(
    sensor: store.SectionedSensor,
    owner: OwnerWithPath,
    call: RpcCall,
    result: object,
    { at, change }: { at: Date; change: RecordedChange | null },
  ): Promise<object> {
    switch (call.method) {
      case "config.get": {
        const section = result as SectionResponse;
        await keepSection(ctx, sensor, call.section.key, section, at);
        return { ...section, source: "device", at: at.toISOString() };
      }
      case "config.set": {
        const set = result as SetResult;
        await change?.done({ applied: set.applied });
        if (set.applied === "confirm") await awaitReturn(ctx, sensor, call.section.key, set, at);
        await announceAll(ctx, [
          { name: "sectionSet", event: { sensorId: sensor.id, section: call.section.key } },
          entityUpdated("sensor", sensor.id, owner.id),
        ]);
        return set;
      }
      case "device.restart":
        await change?.done({ applied: undefined });
        return result;
      case "preview.get":
        return result;
    }
  }

  /** Throws for a used idempotency key, because responses are not stored and the sensor must not get the request again. */
  async function requireFirst(caller: Caller): Promise<void> {
    if (caller.request.idempotency === null) return;
    const reason = "This idempotency key was already used, and the response was not kept";
    await writeOnceOnly(ctx, caller, reason, async () => null);
  }

  return { requireSensor, answer };
}

function requireCall(
  { type }: store.SectionedSensor,
  body: Body,
  known: ReadonlyMap<string, store.StoredSection>,
): RpcCall {
  const values = Object.fromEntries([...known].map(([section, one]) => [section, one.answer.values]));
  const { call, fault } = validateRpc(type, body, values);
  if (!fault) return call;
  const { code, field, message, fields } = fault;
  throw new AppError(isServerErrorCode(code) ? code : errorCode.invalidArgument, {
    field,
    reason: message,
    ...(fields ? { fields } : {}),
  });
}

const defaultConfirmS = 60;

/** Stores that the change must be confirmed, or else the sensor reverts it. */
async function awaitReturn(
  ctx: Context,
  sensor: store.SectionedSensor,
  section: string,
  { rev, confirmWithinS }: SetResult,
  at: Date,
) {
  const until = new Date(at.getTime() + (confirmWithinS ?? defaultConfirmS) * 1000);
  await store.storeConfirmation(ctx.db, sensor.num, { section, rev, set_at: at, until });
}

export function createRpcRequest(text: string, user: string): TunnelRequest {
  return {
    method: "POST",
    path: "/rpc",
    headers: { "content-type": "application/json", "x-psconnect-user": user },
    body: text,
    timeoutMs: rpcTimeoutMs,
    maxBytes: maxRpcBytes,
  };
}

/** Returns the stored section. Throws 509 if none is stored, or if the call needs the sensor itself. */
function toStoredResponse(call: RpcCall, known: ReadonlyMap<string, store.StoredSection>): object {
  const kept = call.method === "config.get" ? known.get(call.section.key) : undefined;
  if (!kept) throw new AppError(errorCode.comLinkSensor);
  return { ...kept.answer, source: "stored", at: kept.read_at.toISOString() };
}

/** Parses the response: a valid result, or an error of the sensor; throws 503 for everything else. */
export function parseRpcResponse({ status, body }: TunnelReply, id: number, call: RpcCall): RpcResponse {
  // The firmware has no settings sections.
  if (status === 404) return { jsonrpc: "2.0", id, error: { code: rpcErrors.unknownMethod, message: "Not found" } };
  const answer = status === 200 ? rpcResponseSchema.safeParse(jsonOf(body)) : null;
  if (!answer?.success || answer.data.id !== id)
    throw new AppError(errorCode.invalidRpc, { reason: "The response can't be read" });
  if (answer.data.error !== undefined) return answer.data;
  const result = rpcResultSchema(call).safeParse(answer.data.result);
  if (!result.success) throw new AppError(errorCode.invalidRpc, { reason: "The response can't be read" });
  return { jsonrpc: "2.0", id, result: result.data as object };
}

function jsonOf(body: Buffer): unknown {
  try {
    // Replaces characters that can't be stored, so that the response equals the stored one.
    return JSON.parse(toJsonb(JSON.parse(body.toString("utf8"))));
  } catch {
    return null;
  }
}

/** Stores a section as the sensor returned it, and announces a coach whose place in its vehicle changed. */
export async function keepSection(
  ctx: Context,
  sensor: store.SectionedSensor,
  section: string,
  answer: SectionResponse,
  at: Date,
): Promise<void> {
  await announcing(ctx, async (tx, announce) => {
    const { isChanged, formerVehicleId } = await store.storeSection(tx, sensor, section, answer, at);
    if (!isChanged || sensor.type !== "ZOD" || section !== "group") return;
    const left = formerVehicleId === null ? {} : { left: { ownerId: sensor.owner_id, vehicleId: formerVehicleId } };
    announce({ name: "coachesChanged", event: { sensorIds: [sensor.id], moved: true, ...left } });
  });
}
