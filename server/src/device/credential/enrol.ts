// Enrolls devices: a device presents an init token and gets its credential (docs/rules/devices.md#enrollment).
import { errorCode, isServerErrorCode } from "@psp/contract/errors.ts";
import { toInputError } from "@psp/contract/kit/safe-text.ts";
import { parseMac } from "@psp/contract/kit/mac.ts";
import { enrolDevice } from "@psp/contract/device/device.api.ts";
import { type Enrollment, enrolSchema } from "@psp/contract/device/device-messages.ts";
import type { FastifyInstance } from "fastify";
import { AppError, tooManyRequests } from "../../kit/app-error.ts";
import type { Context } from "../../context.ts";
import { bumpVersion, write, type UnitOfWork } from "../../db/write.ts";
import { hashToken } from "../../kit/tokens.ts";
import { clientKey, createRateLimit } from "../../kit/limits/rate-limit.ts";
import { createProvisioner, type Provisioner } from "../../mqtt/dynamic-security.ts";
import { type DeviceKey, readDeviceKey } from "./certificate-request.ts";
import {
  createPassword,
  generateClaimingCode,
  previousSecretValidMs,
  readIssuedAt,
  type SecretHashes,
  verifyCredential,
} from "./credential.ts";
import type { Capability } from "../capability.ts";
import { provisionDevice, refuseIfBrokerIsBusy } from "./provisioning.ts";
import { toEnrolReply } from "./enrol-reply.ts";
import { deleteOrder } from "./renewal.store.ts";
import * as store from "../device.store.ts";

const bodyLimit = 16 * 1024;
const failuresPerAddress = { max: 10, windowMs: 60_000 };
const failuresPerToken = { max: 5, windowMs: 3_600_000 };
const auditedRefusals = { max: 1, windowMs: 60_000 };
const overall = { max: 50, windowMs: 1_000 };

/** `mqttPort` returns the bound port if 0 was configured. */
export function enrollmentRoutes(
  app: FastifyInstance,
  ctx: Context,
  capabilities: readonly Capability[],
  mqttPort: () => number | null = () => null,
): void {
  const byAddress = createRateLimit(ctx.clock, failuresPerAddress.max, failuresPerAddress.windowMs);
  const byToken = createRateLimit(ctx.clock, failuresPerToken.max, failuresPerToken.windowMs);
  const noted = createRateLimit(ctx.clock, auditedRefusals.max, auditedRefusals.windowMs);
  const all = createRateLimit(ctx.clock, overall.max, overall.windowMs);
  const provisioner = createProvisioner(ctx);
  if (provisioner) app.addHook("onClose", () => provisioner.stop());

  app.post("/device/v1/enrol", { bodyLimit, config: { call: enrolDevice.name } }, async (request, reply) => {
    const token = tokenIn(request.body);
    // Requests without a token must not share a budget. Otherwise, clients could lock each other out.
    const tokenKey = token === "" ? null : hashToken(token).toString("base64");
    const client = clientKey(request.ip);
    const wait = Math.max(byAddress.peek(client), tokenKey === null ? 0 : byToken.peek(tokenKey));
    if (wait > 0) throw tooManyRequests(wait);
    const busy = all.take("all");
    if (busy > 0)
      throw new AppError(errorCode.databaseError, undefined, { status: 503, headers: { "retry-after": String(busy) } });
    try {
      const input = parse(request.body);
      const attempt = { ctx, capabilities, requestId: request.id, input };
      const done = await enrol(attempt, provisioner, (owner) => noted.take(`${owner} ${client}`) === 0);
      return await reply
        .code(done.isNew ? 201 : 200)
        .header("cache-control", "no-store")
        .send(toEnrolReply(ctx, done, mqttPort()));
    } catch (error) {
      if (error instanceof AppError && error.status < 500) {
        byAddress.take(client);
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

type Enrolling = Enrollment & { key: DeviceKey | null };
type Attempt = { ctx: Context; capabilities: readonly Capability[]; requestId: string; input: Enrolling };

function parse(body: unknown): Enrolling {
  const parsed = enrolSchema.safeParse(typeof body === "symbol" ? undefined : body, { reportInput: true });
  if (!parsed.success) {
    const { code, field, message } = toInputError(parsed.error);
    throw new AppError(
      isServerErrorCode(code) ? code : errorCode.invalidArgument,
      { field, reason: message },
      { status: 400 },
    );
  }
  const id = parseMac(parsed.data.id);
  if (id === null) throw new AppError(errorCode.invalidArgument, { field: "id", reason: "Not a sensor id" });
  const { csr = "" } = parsed.data;
  const key = csr.trim() === "" ? null : readDeviceKey(csr);
  if (key === "broken")
    throw new AppError(
      errorCode.invalidArgument,
      { field: "csr", reason: "Not a request that its key has signed" },
      { status: 400 },
    );
  return { ...parsed.data, id, key };
}

type Enrolled = { sensorId: string; secret: string; claimingCode: string; isNew: boolean };

/**
 * Issues the secret. Fails with status 401 for a bad token, 403 for a wrong type, and 409 if the id is taken. A 409 is audited for the
 * accounts that `isDue` accepts.
 */
async function enrol(
  attempt: Attempt,
  outside: Provisioner | null,
  isDue: (ownerId: string) => boolean,
): Promise<Enrolled> {
  const { ctx, requestId } = attempt;
  if (outside) refuseIfBrokerIsBusy();
  const done = await write(ctx, { system: requestId }, (w) => enrolInside(attempt, w));
  if ("secret" in done) {
    // A device must never get a secret that the external broker refuses. The broker is not awaited above, because that transaction locks
    // the sensor, the token and the totals of the owner.
    if (outside) await provisionDevice(ctx, outside, done);
    return done;
  }
  await auditRefusal(attempt, done, isDue);
  // The error must not reveal which account has the sensor.
  throw new AppError(errorCode.invalidArgument, { field: "id", reason: "This id is taken" }, { status: 409 });
}

type Party = { id: string; path: string };
type Refusal = { sensorId: string; holder: Party; claimant: Party; initToken: string };

/**
 * Audits the refusal for the owner of the sensor and for the owner of the token, in separate rows that do not reveal the other
 * account.
 */
async function auditRefusal(
  { ctx, requestId }: Attempt,
  { sensorId, holder, claimant, initToken }: Refusal,
  isDue: (ownerId: string) => boolean,
): Promise<void> {
  const rows = [
    { owner: claimant, after: { initToken } },
    ...(holder.id === claimant.id ? [] : [{ owner: holder, after: undefined }]),
  ].filter(({ owner }) => isDue(owner.id));
  if (rows.length === 0) return;
  await write(ctx, { system: requestId }, async (w) => {
    const object = { type: "sensor", _id: sensorId };
    for (const { owner, after } of rows) w.audit({ action: "enrol-refused", object, owner, after });
  });
}

async function enrolInside(attempt: Attempt, w: UnitOfWork): Promise<Enrolled | Refusal> {
  const { ctx, capabilities, input } = attempt;
  const token = await store.lockInitToken(w.tx, hashToken(input.token));
  if (!token) throw new AppError(errorCode.unauthorized, undefined, { status: 401 });
  if (token.firmware_type !== null && token.firmware_type !== input.type)
    throw new AppError(errorCode.noPermission, { field: "type" });
  const fresh = {
    owner_id: token.owner_id,
    owner_path: token.owner_path,
    type: input.type,
    firmware_id: token.firmware_id,
    claiming_code: generateClaimingCode(),
  };
  const inserted = await store.insertEnrolledSensor(w.tx, { id: input.id, ...fresh });
  if (inserted !== null)
    return saveCredential(attempt, w, token, { num: inserted, code: fresh.claiming_code, op: "create" });

  const sensor = await store.lockEnrollingSensor(w.tx, input.id);
  const refusal: Refusal = {
    sensorId: input.id,
    holder: { id: sensor.owner_id, path: sensor.owner_path },
    claimant: { id: token.owner_id, path: token.owner_path },
    initToken: token.id,
  };
  if (sensor.is_deleted) {
    for (const { onForget } of capabilities) await onForget?.(ctx, w, [input.id]);
    await store.resetSensor(w.tx, input.id, { ...bumpVersion(ctx), ...fresh, visible_from: ctx.clock.date() });
    return saveCredential(attempt, w, token, { num: sensor.num, code: fresh.claiming_code, op: "create" });
  }
  if (sensor.secret_hash === null || !sensor.isProvisioned) {
    // Registered by hand and never connected, or no device has received its password: accepts the first device with a token of the same owner.
    if (sensor.owner_id !== token.owner_id) return refusal;
    if (sensor.type !== input.type) throw new AppError(errorCode.noPermission, { field: "type" });
    await store.enrollRegisteredSensor(w.tx, input.id, { ...bumpVersion(ctx), claiming_code: fresh.claiming_code });
    // A manual assignment takes precedence over the token's firmware.
    const brought = sensor.firmware_id === null ? token : { ...token, firmware_id: null };
    return saveCredential(attempt, w, brought, { num: sensor.num, code: fresh.claiming_code, op: "update" });
  }
  const known = { ...sensor, secret_hash: sensor.secret_hash };
  const isOwnersToken = token.owner_id === sensor.owner_id;
  const proof = verifyCredential(known, input.credential, ctx.clock.now());
  const newest =
    proof === "next" || (proof === null && isLostPassword(ctx, known, input)) ? input.credential : undefined;
  // After a change of owner, the former owner may know the old password. Without a token of the new owner, it proves nothing.
  const isProved = newest !== undefined || (proof === "present" && (isOwnersToken || !sensor.isRenewing));
  if (!isProved && !isKnownKey(known, input, isOwnersToken)) return refusal;
  const secret = createPassword(ctx, input.id);
  // If the device proved a password that is newer than the present one, the present one ends, as it does after an MQTT login.
  const previous = newest === undefined ? known.last_hash : hashToken(newest);
  if (newest !== undefined) await deleteOrder(w.tx, sensor.num);
  await store.renewSecret(w.tx, sensor.num, {
    secret_hash: hashToken(secret),
    previous_hash: previous,
    previous_until: isConfirmed(ctx) ? new Date(ctx.clock.now() + previousSecretValidMs) : untilConfirmed,
    is_confirmed: isConfirmed(ctx),
    // If a response was lost, the device may have only an older password than the previous one.
    proved_hash: isProved && input.credential !== undefined ? hashToken(input.credential) : null,
    restored_to: null,
    ...keyColumns(chooseKey(known, input.key)),
  });
  w.audit({
    action: "renewCredential",
    object: { type: "sensor", _id: input.id },
    owner: { id: sensor.owner_id, path: sensor.owner_path },
  });
  return { sensorId: input.id, secret, claimingCode: sensor.claiming_code ?? "", isNew: false };
}

/** Whether a new password works as soon as it is stored. Dynamic security must confirm it first. */
const isConfirmed = ({ config }: Context) => config.mqtt.auth?.by !== "dynamic-security";
/** The end of a previous password that the device keeps until the broker confirms the new one. */
const untilConfirmed = new Date("9999-12-31T00:00:00Z");

type Known = SecretHashes & { public_key: string | null; key_is_proved: boolean };

/**
 * A password that is unknown because the database was restored to a state before it was issued. Passwords that ended before that state
 * are older.
 */
function isLostPassword(ctx: Context, known: { restored_to: Date | null }, { id, credential }: Enrolling): boolean {
  if (known.restored_to === null || credential === undefined) return false;
  return (readIssuedAt(ctx.config, id, credential) ?? 0) > known.restored_to.getTime();
}

/** Once a device has signed with a key, it keeps that key until it signs with another one. */
function chooseKey({ public_key: text, key_is_proved: isProved }: Known, given: DeviceKey | null): DeviceKey | null {
  if (text === null || (given && (given.isProved || !isProved))) return given;
  return { text, isProved };
}

const keyColumns = (key: DeviceKey | null) => ({
  public_key: key?.text ?? null,
  key_is_proved: key?.isProved ?? false,
});

/**
 * Unlike a password, a key is accepted only with an init token of the sensor's account. Once a device has signed with its key, sending
 * the bare key is not enough.
 */
function isKnownKey(known: Known, { key }: Enrolling, isOwnersToken: boolean): boolean {
  if (!isOwnersToken || key === null || key.text !== known.public_key) return false;
  return key.isProved || !known.key_is_proved;
}

async function saveCredential(
  { ctx, capabilities, input }: Attempt,
  w: UnitOfWork,
  token: store.LockedInitToken,
  made: { num: number; code: string; op: "create" | "update" },
): Promise<Enrolled> {
  const secret = createPassword(ctx, input.id);
  await store.upsertDevice(w.tx, {
    sensor_num: made.num,
    secret_hash: hashToken(secret),
    ...keyColumns(input.key),
    init_token_id: token.id,
    is_provisioned: isConfirmed(ctx),
    is_confirmed: isConfirmed(ctx),
    enrolled_at: ctx.clock.date(),
  });
  const owner = { id: token.owner_id, path: token.owner_path };
  const enrolled = { sensorId: input.id, firmwareId: token.firmware_id, by: owner.id };
  for (const { onEnrol } of capabilities) await onEnrol?.(ctx, w, enrolled);
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
