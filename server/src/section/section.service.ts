// Use cases of the pages of ZOD and PS.C1: one question to a sensor, by right and within rules; what it answered last is kept for
// when it can't be asked (SE-06, SE-07).
import { errorCode, isServerErrorCode } from "@psp/contract/errors.ts";
import type { Received } from "@psp/contract/kit/endpoint.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import {
  judgeRpc,
  maxRpcBytes,
  paramsFor,
  type RpcAnswer,
  rpcAnswerSchema,
  type RpcCall,
  rpcErrors,
  rpcMethods,
  rpcResultSchema,
  rpcTimeoutMs,
  type SetResult,
} from "@psp/contract/section/rpc.ts";
import { withoutSecrets } from "@psp/contract/section/saving.ts";
import type { rpcSensor } from "@psp/contract/section/section.api.ts";
import type { SectionAnswer } from "@psp/contract/section/wire.ts";
import type { Context } from "../context.ts";
import { toJsonb } from "../db/storable.ts";
import { amendAudit, write, writeOnceOnly } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import { updated } from "../kit/bus.ts";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { createKeyedSemaphore } from "../kit/limits/semaphores.ts";
import { requireConsent } from "../owned/consent.ts";
import { ownerOf, type PlacedOwner } from "../owned/owner.ts";
import { sensorReasons } from "../sensor/sensor.reasons.ts";
import { TunnelError, type TunnelReply, type TunnelRequest } from "../tunnel/tunnel.service.ts";
import * as store from "./section.store.ts";

type Body = Received<typeof rpcSensor>["body"];
/** Sends a request to a sensor through its tunnel, wherever that ends. Throws TunnelError. */
export type AskSensor = (sensorId: string, request: TunnelRequest) => Promise<TunnelReply>;

/** A preview counts as opened when it was not looked at for so long (docs/rules/settings.md#previews). */
const openedAfterMs = 60_000;
const maxOpened = 10_000;
const perSensor = { max: Number.POSITIVE_INFINITY, maxPerKey: 8, retryAfterS: 1 };

export function createSectionService(ctx: Context, ask: AskSensor) {
  /** When each person last looked at each preview, the oldest first. */
  const looked = new Map<string, number>();
  const questions = createKeyedSemaphore(perSensor);

  async function requireSensor(caller: Caller, id: string): Promise<store.SectionedSensor> {
    const sensor = await store.findSensor(ctx.db, caller, id);
    if (!sensor) throw new AppError(errorCode.notFound);
    return sensor;
  }

  /** The answer of the sensor, or what it answered last. Throws 102, 402, 305, 503, 504, 509; 429 when too much is asked of it. */
  async function answer(caller: Caller, id: string, body: Body): Promise<RpcAnswer> {
    const sensor = await requireSensor(caller, id);
    const known = await store.findSections(ctx.db, sensor.num);
    const values = Object.fromEntries([...known].map(([section, one]) => [section, one.answer.values]));
    const { call, fault } = judgeRpc(sensor.type, body, values);
    if (fault) {
      const { code, field, message, fields } = fault;
      throw new AppError(isServerErrorCode(code) ? code : errorCode.invalidArgument, {
        field,
        reason: message,
        ...(fields ? { fields } : {}),
      });
    }
    const owner = await ownerOf(ctx.db, sensor.owner_id);
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
      const said = await question(sensor.id, body.id, call, mayEdit);
      if (said === "unreached") {
        await change?.failed("The sensor was not connected.");
        return { jsonrpc: "2.0", id: body.id, result: keptOf(call, known) };
      }
      if (said.error !== undefined) {
        await change?.failed(said.error.message);
        return said;
      }
      return { ...said, result: await taken(sensor, owner, call, said.result as object, { at, change }) };
    } finally {
      leave();
    }
  }

  /** Throws 509 when the connection broke off while something was changed: whether it was is not known. */
  async function question(
    sensorId: string,
    id: number,
    call: RpcCall,
    mayEdit: boolean,
  ): Promise<RpcAnswer | "unreached"> {
    const { edit, view } = ctx.config.autoLogin;
    const text = JSON.stringify({ jsonrpc: "2.0", id, method: call.method, params: paramsFor(call) });
    const reply = await ask(sensorId, rpcRequest(text, mayEdit ? edit : view)).catch((error: unknown) => {
      if (!(error instanceof TunnelError)) throw error;
      if (error.kind === "late") throw new AppError(errorCode.rpcTimeout);
      if (error.kind === "large") throw new AppError(errorCode.invalidRpc, { reason: "The answer is too large" });
      if (error.sent && rpcMethods[call.method].right === "edit") throw new AppError(errorCode.comLinkSensor);
      return "unreached" as const;
    });
    return reply === "unreached" ? reply : answerIn(reply, id, call);
  }

  /** What follows from a result. */
  async function taken(
    sensor: store.SectionedSensor,
    owner: PlacedOwner,
    call: RpcCall,
    result: object,
    { at, change }: { at: Date; change: RecordedChange | null },
  ): Promise<object> {
    switch (call.method) {
      case "config.get": {
        const section = result as SectionAnswer;
        await store.storeSection(ctx.db, sensor, call.section.key, section, at);
        return { ...section, source: "device", at: at.toISOString() };
      }
      case "config.set": {
        const set = result as SetResult;
        await change?.done({ applied: set.applied });
        if (set.applied === "confirm") await awaitReturn(sensor, call.section.key, set, at);
        ctx.bus.emit({ name: "sectionSet", event: { sensorId: sensor.id, section: call.section.key } });
        ctx.bus.emit(updated("sensor", sensor.id, owner.id));
        return set;
      }
      case "device.restart":
        await change?.done({ applied: undefined });
        return result;
      case "preview.get":
        return result;
    }
  }

  async function awaitReturn(
    sensor: store.SectionedSensor,
    section: string,
    { rev, confirmWithinS }: SetResult,
    at: Date,
  ) {
    const until = new Date(at.getTime() + (confirmWithinS ?? defaultConfirmS) * 1000);
    await store.awaitConfirmation(ctx.db, sensor.num, { section, rev, set_at: at, until });
  }

  /**
   * What changes the sensor is on record before it leaves, with an unknown outcome: then nothing that goes wrong later takes the
   * trace away. Null for what changes nothing.
   */
  async function recordChange(
    caller: Caller,
    sensor: store.SectionedSensor,
    owner: PlacedOwner,
    call: RpcCall,
    known: ReadonlyMap<string, store.StoredSection>,
  ): Promise<RecordedChange | null> {
    if (call.method !== "config.set" && call.method !== "device.restart") return null;
    const id = uuidv7(ctx.clock.now());
    const { method } = call;
    const section = call.method === "config.set" ? call.section : null;
    const values = section && known.get(section.key)?.answer.values;
    const asked =
      call.method === "config.set"
        ? { section: call.section.key, values: withoutSecrets(call.section, call.values) }
        : {};
    const before = section && values ? { section: section.key, values } : null;
    await record(caller, sensor, owner, method, { id, before, after: { ...asked, applied: "unknown" } });
    return {
      done: (outcome) => amendAudit(ctx.db, id, { action: method, after: { ...asked, ...outcome } }),
      failed: (reason) => amendAudit(ctx.db, id, { action: `${method}-failed`, after: { ...asked, reason } }),
    };
  }

  async function record(
    { request, ...caller }: Caller,
    sensor: store.SectionedSensor,
    owner: PlacedOwner,
    action: string,
    facts: { id?: string; before?: unknown; after?: unknown },
  ): Promise<void> {
    const author = { ...caller, request: { ...request, idempotency: null } };
    await write(ctx, author, async (w) => {
      w.audit({ action, object: { type: "sensor", _id: sensor.id }, owner, ...facts });
    });
  }

  /** A sensor is never asked twice under one key; its answer is not kept. */
  async function requireFirst(caller: Caller): Promise<void> {
    if (caller.request.idempotency === null) return;
    const reason = "The sensor was asked under this key already; its answer was not kept";
    await writeOnceOnly(ctx, caller, reason, async () => null);
  }

  /** Pictures of people: each opening is on record, not each picture. */
  async function noteLook(
    caller: Caller,
    sensor: store.SectionedSensor,
    owner: PlacedOwner,
    kind: string,
  ): Promise<void> {
    const key = `${caller.id} ${sensor.id} ${kind}`;
    const now = ctx.clock.now();
    const last = looked.get(key);
    looked.delete(key);
    looked.set(key, now);
    if (looked.size > maxOpened) looked.delete(looked.keys().next().value ?? "");
    if (last === undefined || now - last > openedAfterMs)
      await record(caller, sensor, owner, "preview", { after: { kind } });
  }

  return { requireSensor, answer };
}

/** A row of the trail that waits for the outcome. */
type RecordedChange = {
  done(outcome: { applied: SetResult["applied"] | undefined }): Promise<void>;
  failed(reason: string): Promise<void>;
};

const defaultConfirmS = 60;

/** One question as it goes through the tunnel. */
export function rpcRequest(text: string, user: string): TunnelRequest {
  return {
    method: "POST",
    path: "/rpc",
    headers: { "content-type": "application/json", "x-psconnect-user": user },
    body: text,
    timeoutMs: rpcTimeoutMs,
    maxBytes: maxRpcBytes,
  };
}

/** What was read last; 509 where nothing was, and for everything that only the sensor itself can answer. */
function keptOf(call: RpcCall, known: ReadonlyMap<string, store.StoredSection>): object {
  const kept = call.method === "config.get" ? known.get(call.section.key) : undefined;
  if (!kept) throw new AppError(errorCode.comLinkSensor);
  return { ...kept.answer, source: "stored", at: kept.read_at.toISOString() };
}

/** Reads what came: a result in its form, or an error of the sensor; 503 for everything else. */
export function answerIn({ status, body }: TunnelReply, id: number, call: RpcCall): RpcAnswer {
  // A firmware from before there were sections.
  if (status === 404) return { jsonrpc: "2.0", id, error: { code: rpcErrors.unknownMethod, message: "Not found" } };
  const answer = status === 200 ? rpcAnswerSchema.safeParse(jsonOf(body)) : null;
  if (!answer?.success || answer.data.id !== id)
    throw new AppError(errorCode.invalidRpc, { reason: "The answer can't be read" });
  if (answer.data.error !== undefined) return answer.data;
  const result = rpcResultSchema(call).safeParse(answer.data.result);
  if (!result.success) throw new AppError(errorCode.invalidRpc, { reason: "The answer can't be read" });
  return { jsonrpc: "2.0", id, result: result.data as object };
}

function jsonOf(body: Buffer): unknown {
  try {
    // What can't be stored is shown with replacement characters, now and from the store.
    return JSON.parse(toJsonb(JSON.parse(body.toString("utf8"))));
  } catch {
    return null;
  }
}
