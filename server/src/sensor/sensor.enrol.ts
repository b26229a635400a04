// First contact: a device shows an init token and gets its credential (device-protocol 4.2, decisions 13 "Devices").
import { faultOf } from "@psp/contract/kit/safe-text.ts";
import { parseMac, wireId } from "@psp/contract/kit/ids.ts";
import { isServerErrorCode } from "@psp/contract/errors.ts";
import { enrolDevice } from "@psp/contract/sensor/sensor.device.api.ts";
import { type Enrolment, type EnrolReply, enrolSchema, hostStateTopic } from "@psp/contract/sensor/sensor.device.ts";
import type { FastifyInstance } from "fastify";
import { AppError, tooMany } from "../app-error.ts";
import type { Context } from "../context.ts";
import { bumped, write, type Write } from "../db/write.ts";
import { firmwarePublicKey } from "../firmware/signing.service.ts";
import { createBudget } from "../http/rate-limit.ts";
import { createProvisioner, type Provisioner } from "../mqtt/dynamic-security.ts";
import { hashSecret, newClaimingCode, newSecret, previousValidMs, provesDevice } from "./sensor-credential.service.ts";
import { assignFirmware, forgetTasks } from "../rollout/rollout.service.ts";
import * as store from "./sensor.device.store.ts";

const bodyLimit = 16 * 1024;
const failuresPerAddress = { max: 10, windowMs: 60_000 };
const failuresPerToken = { max: 5, windowMs: 3_600_000 };
const overall = { max: 50, windowMs: 1_000 };

/** Routes of devices over HTTP. `mqttPort` answers the port really taken, for a configured 0. */
export function deviceRoutes(app: FastifyInstance, ctx: Context, mqttPort: () => number | null = () => null): void {
  const byAddress = createBudget(ctx.clock, failuresPerAddress.max, failuresPerAddress.windowMs);
  const byToken = createBudget(ctx.clock, failuresPerToken.max, failuresPerToken.windowMs);
  const all = createBudget(ctx.clock, overall.max, overall.windowMs);
  const provisioner = createProvisioner(ctx);
  if (provisioner) app.addHook("onClose", () => provisioner.stop());

  app.post("/device/v1/enrol", { bodyLimit, config: { call: enrolDevice.name } }, async (request, reply) => {
    const token = tokenIn(request.body);
    // Forms without a token share no budget: that would lock out each other's.
    const tokenKey = token === "" ? null : hashSecret(token).toString("base64");
    const wait = Math.max(byAddress.peek(request.ip), tokenKey === null ? 0 : byToken.peek(tokenKey));
    if (wait > 0) throw tooMany(wait);
    const busy = all.take("all");
    if (busy > 0) throw new AppError(100, undefined, { status: 503, headers: { "retry-after": String(busy) } });
    try {
      const done = await enrol(ctx, request.id, parse(request.body), provisioner);
      return await reply
        .code(done.isNew ? 201 : 200)
        .header("cache-control", "no-store")
        .send(answer(ctx, done, mqttPort()));
    } catch (error) {
      if (error instanceof AppError && error.status < 500) {
        byAddress.take(request.ip);
        if (tokenKey !== null) byToken.take(tokenKey);
      }
      throw error;
    }
  });
}

function tokenIn(body: unknown): string {
  return typeof body === "object" && body !== null && "token" in body && typeof body.token === "string"
    ? body.token
    : "";
}

function parse(body: unknown): Enrolment & { id: string } {
  const parsed = enrolSchema.safeParse(typeof body === "symbol" ? undefined : body, { reportInput: true });
  if (!parsed.success) {
    const { code, field, message } = faultOf(parsed.error);
    throw new AppError(isServerErrorCode(code) ? code : 102, { field, message }, { status: 400 });
  }
  const id = parseMac(parsed.data.id);
  if (id === null) throw new AppError(102, { field: "id", message: "Not a sensor id" });
  return { ...parsed.data, id };
}

type Enrolled = { sensorId: string; secret: string; claimingCode: string; isNew: boolean };

/** Gives a device its secret: 401 for the token, 403 for the type, 409 when the id is somebody's already. */
async function enrol(
  ctx: Context,
  requestId: string,
  input: Enrolment,
  outside: Provisioner | null,
): Promise<Enrolled> {
  return write(ctx, { system: requestId }, async (w) => {
    const done = await enrolInside(ctx, w, input);
    // Before the commit: a device must never hold an answer with a secret that the outside broker refuses.
    await outside?.put(wireId(done.sensorId), done.secret);
    return done;
  });
}

async function enrolInside(ctx: Context, w: Write, input: Enrolment): Promise<Enrolled> {
  const token = await store.findToken(w.tx, hashSecret(input.token));
  if (!token) throw new AppError(106, undefined, { status: 401 });
  if (token.firmware_type !== null && token.firmware_type !== input.type) throw new AppError(306, { field: "type" });
  const fresh = {
    owner_id: token.owner_id,
    owner_path: token.owner_path,
    type: input.type,
    firmware_id: token.firmware_id,
    claiming_code: newClaimingCode(),
  };
  const inserted = await store.insertEnrolled(w.tx, { id: input.id, ...fresh });
  if (inserted !== null)
    return finish(ctx, w, input, token, { num: inserted, code: fresh.claiming_code, op: "create" });

  const sensor = await store.lockEnrolling(w.tx, input.id);
  if (sensor.is_deleted) {
    await forgetTasks(ctx, w, [input.id]);
    await store.resetSensor(w.tx, input.id, { ...bumped(ctx), ...fresh, visible_from: ctx.clock.date() });
    return finish(ctx, w, input, token, { num: sensor.num, code: fresh.claiming_code, op: "create" });
  }
  if (sensor.secret_hash === null) {
    // Made known by hand and never seen: the first device with a token of the same owner is it.
    if (sensor.owner_id !== token.owner_id) throw taken();
    if (sensor.type !== input.type) throw new AppError(306, { field: "type" });
    await store.claimByHand(w.tx, input.id, { ...bumped(ctx), claiming_code: fresh.claiming_code });
    // What somebody assigned by hand meanwhile counts more than what the token brings.
    const brought = sensor.firmware_id === null ? token : { ...token, firmware_id: null };
    return finish(ctx, w, input, brought, { num: sensor.num, code: fresh.claiming_code, op: "update" });
  }
  const known = { ...sensor, secret_hash: sensor.secret_hash };
  if (!isSameDevice(ctx, known, input, token.owner_id === sensor.owner_id)) throw taken();
  const secret = newSecret();
  const until = new Date(ctx.clock.now() + previousValidMs);
  await store.renewSecret(w.tx, sensor.num, hashSecret(secret), until, input.csr?.trim());
  w.audit({
    action: "renewCredential",
    object: { type: "sensor", _id: input.id },
    owner: { id: sensor.owner_id, path: sensor.owner_path },
  });
  return { sensorId: input.id, secret, claimingCode: sensor.claiming_code ?? "", isNew: false };
}

/** Says nothing of whose it is. */
function taken(): AppError {
  return new AppError(102, { field: "id", message: "This id is taken" }, { status: 409 });
}

type Known = {
  secret_hash: Buffer;
  previous_hash: Buffer | null;
  previous_until: Date | null;
  public_key: string | null;
};

/**
 * The old password proves the device anywhere. A public key is no secret: it counts only together with an init token of
 * the sensor's own account, or any token of any customer would open every sensor whose key leaked.
 */
function isSameDevice(ctx: Context, known: Known, input: Enrolment, isOwnersToken: boolean): boolean {
  const key = input.csr?.trim();
  if (isOwnersToken && key && known.public_key !== null && key === known.public_key) return true;
  return input.credential !== undefined && provesDevice(known, input.credential, ctx.clock.now());
}

async function finish(
  ctx: Context,
  w: Write,
  input: Enrolment,
  token: store.FoundToken,
  made: { num: number; code: string; op: "create" | "update" },
): Promise<Enrolled> {
  const secret = newSecret();
  await store.putDevice(w.tx, {
    sensor_num: made.num,
    secret_hash: hashSecret(secret),
    public_key: input.csr?.trim() ?? null,
    init_token_id: token.id,
    enrolled_at: ctx.clock.date(),
  });
  const owner = { id: token.owner_id, path: token.owner_path };
  if (token.firmware_id !== null)
    await assignFirmware(ctx, w, { sensorIds: [input.id], firmwareId: token.firmware_id, by: owner.id });
  w.audit({
    action: "enrol",
    object: { type: "sensor", _id: input.id },
    owner,
    after: { owner: owner.id, type: input.type, artifact: token.firmware_id, initToken: token.id },
  });
  w.announce({
    name: "entityChanged",
    event: {
      type: "sensor",
      op: made.op,
      id: input.id,
      ownerBefore: made.op === "create" ? null : owner.id,
      ownerAfter: owner.id,
    },
  });
  return { sensorId: input.id, secret, claimingCode: made.code, isNew: true };
}

function answer(ctx: Context, done: Enrolled, takenPort: number | null): EnrolReply {
  const id = wireId(done.sensorId);
  return {
    sensorId: done.sensorId,
    mqtt: { ...endpointOf(ctx, takenPort), username: id, clientId: id, password: done.secret },
    hostState: hostStateTopic,
    serverTime: ctx.clock.now(),
    claimingCode: done.claimingCode,
    fwKey: firmwarePublicKey(ctx.config.secrets.firmware),
  };
}

function endpointOf(ctx: Context, takenPort: number | null): { host: string; port: number; tls: boolean } {
  const { url, tls, port, publicHost } = ctx.config.mqtt;
  if (url === null) return { host: publicHost, port: tls?.port ?? takenPort ?? port, tls: tls !== null };
  const outside = new URL(url);
  const secure = /^(mqtts|ssl|wss):$/.test(outside.protocol);
  return { host: outside.hostname, port: Number(outside.port) || (secure ? 8883 : 1883), tls: secure };
}
