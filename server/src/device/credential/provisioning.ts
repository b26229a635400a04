// Sets the passwords of devices at an external broker, outside the transactions that decide them.
import { errorCode } from "@psp/contract/errors.ts";
import { wireId } from "@psp/contract/kit/ids.ts";
import pLimit from "p-limit";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { lockSensorRows } from "../../db/locks.ts";
import { type UnitOfWork, write } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import { hashToken } from "../../kit/tokens.ts";
import type { Provisioner } from "../../mqtt/dynamic-security.ts";
import { confirmPassword, hasUnconfirmedPassword, lockBrokerClient } from "../device.store.ts";
import { findUndeletedSensors } from "../presence/presence.store.ts";
import { previousSecretValidMs } from "./credential.ts";

/** Each call occupies a database connection while it waits for the broker, so only a few may run at once. */
const fewOutside = { enrollment: pLimit(4), renewal: pLimit(3), cleanup: pLimit(1) };
/** Devices give up after some time and enroll again, so more would only be passwords that no device waits for. */
const most = { waiting: 100, waitMs: 20_000 };
const retryAfterS = 5;

const unavailable = () =>
  new AppError(errorCode.databaseError, undefined, { status: 503, headers: { "retry-after": String(retryAfterS) } });

export function refuseIfBrokerIsBusy(): void {
  if (fewOutside.enrollment.pendingCount >= most.waiting) throw unavailable();
}

/**
 * Changes of one client at the broker happen one after another, in all processes, so that the last one can be compared with the row. No
 * row is locked while the broker is awaited: presence and hand-overs of the sensor go on. `work` must first read the row. Once the broker
 * has confirmed, it must lock the row and check that it is still the same.
 */
export function changeBrokerClient<T>(
  ctx: Context,
  system: keyof typeof fewOutside,
  sensorId: string,
  work: (w: UnitOfWork) => Promise<T>,
): Promise<T> {
  return fewOutside[system](() =>
    write(ctx, { system }, async (w) => {
      await lockBrokerClient(w.tx, sensorId);
      return work(w);
    }),
  );
}

/** Deletions do not wait for such changes, so the client may have been revoked just before it was changed. */
export async function revokeIfDeleted(tx: Tx, outside: Provisioner, sensorId: string): Promise<boolean> {
  if ((await findUndeletedSensors(tx, [sensorId])).has(sensorId)) return false;
  await outside.revoke(sensorId);
  return true;
}

/**
 * Until the broker has confirmed the password, no device has received it: a new device may enroll again with a token of the same owner,
 * and a known one with its previous password. Throws 503 if the broker does not confirm, or if the device has enrolled again meanwhile.
 */
export async function provisionDevice(
  ctx: Context,
  outside: Provisioner,
  { sensorId, secret, isNew }: { sensorId: string; secret: string; isNew: boolean },
): Promise<void> {
  const hash = hashToken(secret);
  const askedAt = performance.now();
  const isDone = await changeBrokerClient(ctx, "enrollment", sensorId, async ({ tx }) => {
    if (performance.now() - askedAt > most.waitMs || !(await hasUnconfirmedPassword(tx, sensorId, hash))) return false;
    // It may have been deleted while no gateway ran.
    if (isNew) await outside.forget(wireId(sensorId));
    await outside.put(wireId(sensorId), secret);
    // If the device has enrolled again meanwhile, that enrollment waits for the lock and sets its password after this one.
    await lockSensorRows(tx, [sensorId]);
    if (await confirmPassword(tx, sensorId, hash, new Date(ctx.clock.now() + previousSecretValidMs))) return true;
    await revokeIfDeleted(tx, outside, sensorId);
    return false;
  }).catch((error: unknown) => {
    ctx.log.warn({ err: error, sensorId }, "the outside broker did not accept an enrolled device");
    return false;
  });
  if (!isDone) throw unavailable();
}
