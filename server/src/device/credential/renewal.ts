// Sends sensors a new password after a change of owner. The old password ends when the new one is used (ADR 0016).
import { wireId } from "@psp/contract/kit/ids.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { lockSensorRows } from "../../db/locks.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { type UnitOfWork, write } from "../../db/write.ts";
import type { Provisioner } from "../../mqtt/dynamic-security.ts";
import { seal, unseal } from "../../kit/sealing.ts";
import { hashToken } from "../../kit/tokens.ts";
import { createPassword } from "./credential.ts";
import { changeBrokerClient, revokeIfDeleted } from "./provisioning.ts";
import * as store from "./renewal.store.ts";

/** Sent on `dn/cmd`. The password stays the same until it is used or voided. */
export type RenewalOrder = { sensorId: string; id: string; password: string };

/**
 * Must run in the transaction that changes the owner, with the sensor rows locked. Devices get the new password when they reconnect,
 * so the caller must drop their sessions (`sensorsDropped`). Sensors without a device are skipped.
 */
export async function requestCredentialRenewal(tx: Tx, sensorIds: readonly string[]): Promise<void> {
  if (sensorIds.length > 0) await store.requestRenewals(tx, sensorIds);
}

const purposeOf = (sensorId: string, id: string) => `device-renewal:${sensorId}:${id}`;

/** Null if there is no order, or if it can't be decrypted with the current server secret. */
function unsealOrder(
  ctx: Context,
  { sensor_id: sensorId, id, secret_sealed: sealed }: store.DueRenewal,
): RenewalOrder | null {
  if (id === null || sealed === null) return null;
  try {
    return { sensorId, id, password: unseal(ctx.config, purposeOf(sensorId, id), sealed) };
  } catch (error) {
    ctx.log.warn({ err: error, sensorId }, "a new password can't be read any more: the device gets another one");
    return null;
  }
}

export async function getRenewalOrders(ctx: Context, sensorIds: readonly string[]): Promise<RenewalOrder[]> {
  // Checked without a lock first, because orders are rare.
  const due = await store.findDueSensors(ctx.db, sensorIds);
  if (due.length === 0) return [];
  return write(ctx, { system: "renewal" }, async ({ tx }) => {
    await lockSensorRows(tx, due);
    const fresh: store.StoredOrder[] = [];
    const orders = (await store.findOrders(tx, due)).map((one) => {
      const stored = unsealOrder(ctx, one);
      if (stored) return stored;
      const order = {
        sensorId: one.sensor_id,
        id: uuidv7(ctx.clock.now()),
        password: createPassword(ctx, one.sensor_id),
      };
      const sealed = seal(ctx.config, purposeOf(order.sensorId, order.id), order.password);
      fresh.push({ sensorNum: one.num, id: order.id, hash: hashToken(order.password), sealed });
      return order;
    });
    if (fresh.length > 0) await store.saveOrders(tx, fresh);
    return orders;
  });
}

/** Makes the new passwords the current ones; all other passwords of these devices end. */
export async function promoteNextSecrets(
  ctx: Context,
  proved: readonly { sensorId: string; hash: Buffer }[],
): Promise<void> {
  await write(ctx, { system: "renewal" }, async (w) => {
    await lockSensorRows(
      w.tx,
      proved.map((one) => one.sensorId),
    );
    note(w, await store.promoteOrders(w.tx, proved));
  });
}

/**
 * Called when a device behind an external broker reports that it has stored its new password. The broker accepts one password per
 * device, so setting the new one ends the old one and the device's session. If this process ends before it has stored that, the device
 * is sent the same password again and can connect with it.
 */
export async function changeExternalSecret(
  ctx: Context,
  outside: Provisioner,
  sensorId: string,
  orderId: string,
): Promise<void> {
  await changeBrokerClient(ctx, "renewal", sensorId, async (w) => {
    const [due] = await store.findOrders(w.tx, [sensorId]);
    const order = due ? unsealOrder(ctx, due) : null;
    if (!due || order?.id !== orderId) return;
    await outside.put(wireId(sensorId), order.password);
    const proved = { sensorId, hash: hashToken(order.password) };
    await lockSensorRows(w.tx, [sensorId]);
    const promoted = await store.promoteOrders(w.tx, [proved]);
    note(w, promoted);
    // A further change of owner has voided the order meanwhile, but the device uses this password until it gets the next one.
    if (promoted.length === 0) await store.replaceSecret(w.tx, due, proved.hash);
    await revokeIfDeleted(w.tx, outside, sensorId);
  });
}

function note(w: UnitOfWork, promoted: readonly store.PromotedSensor[]): void {
  for (const { sensor_id: _id, owner_id, owner_path } of promoted)
    w.audit({
      action: "renewCredential",
      object: { type: "sensor", _id },
      owner: { id: owner_id, path: owner_path },
    });
}
