// A sensor that changed hands gets a new password over its own connection; the old one ends when the new one is proved (ADR 0016).
import { wireId } from "@psp/contract/kit/ids.ts";
import pLimit from "p-limit";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { type Write, write } from "../../db/write.ts";
import type { Provisioner } from "../../mqtt/dynamic-security.ts";
import { seal, unseal } from "../../kit/sealing.ts";
import { hashToken, randomToken } from "../../kit/tokens.ts";
import * as store from "./renewal.store.ts";

/** What the device is sent by `dn/cmd`: the same password each time, until it is used or void. */
export type RenewalOrder = { sensorId: string; id: string; password: string };

/**
 * For callers that give sensors to another owner, in their transaction and with the sensors held: their devices get a new
 * password. They get it when they come back, so drop their sessions (`sensorsDropped`). Sensors without a device are
 * passed over.
 */
export async function renewCredentialOnHandover(tx: Tx, sensorIds: readonly string[]): Promise<void> {
  if (sensorIds.length > 0) await store.makeDue(tx, sensorIds);
}

const purposeOf = (sensorId: string, id: string) => `device-renewal:${sensorId}:${id}`;

/** The order that a device was sent already; null when there is none, or none that can be read with today's secret. */
function unsealOrder(ctx: Context, { sensor_id: sensorId, id, secret_sealed: sealed }: store.Due): RenewalOrder | null {
  if (id === null || sealed === null) return null;
  try {
    return { sensorId, id, password: unseal(ctx.config, purposeOf(sensorId, id), sealed) };
  } catch (error) {
    ctx.log.warn({ err: error, sensorId }, "a new password can't be read any more: the device gets another one");
    return null;
  }
}

/** The orders to be sent to these devices, made where there was none yet. */
export async function renewalOrders(ctx: Context, sensorIds: readonly string[]): Promise<RenewalOrder[]> {
  // There is hardly ever any: that must not cost a lock.
  const due = await store.findDue(ctx.db, sensorIds);
  if (due.length === 0) return [];
  return write(ctx, { system: "renewal" }, async ({ tx }) => {
    await store.holdSensors(tx, due);
    const fresh: store.Order[] = [];
    const orders = (await store.listDue(tx, due)).map((one) => {
      const stored = unsealOrder(ctx, one);
      if (stored) return stored;
      const order = { sensorId: one.sensor_id, id: uuidv7(ctx.clock.now()), password: randomToken() };
      const sealed = seal(ctx.config, purposeOf(order.sensorId, order.id), order.password);
      fresh.push({ sensorNum: one.num, id: order.id, hash: hashToken(order.password), sealed });
      return order;
    });
    if (fresh.length > 0) await store.saveOrders(tx, fresh);
    return orders;
  });
}

/** Devices that proved to hold the new password: every other one of theirs ends. */
export async function endOldSecrets(
  ctx: Context,
  proved: readonly { sensorId: string; hash: Buffer }[],
): Promise<void> {
  await write(ctx, { system: "renewal" }, async (w) => {
    await store.holdSensors(
      w.tx,
      proved.map((one) => one.sensorId),
    );
    note(w, await store.takeOrders(w.tx, proved));
  });
}

/** Each holds a connection to the database while the broker takes its time: most of them stay for everybody else. */
const fewOutside = pLimit(4);

/**
 * A device behind an external broker reports that it holds the password of an order. That broker knows one password at a
 * time: it gets the new one now, and so ends the old one and its session.
 */
export async function changeOutside(
  ctx: Context,
  outside: Provisioner,
  sensorId: string,
  orderId: string,
): Promise<void> {
  await fewOutside(() =>
    write(ctx, { system: "renewal" }, async (w) => {
      await store.holdSensors(w.tx, [sensorId]);
      const [due] = await store.listDue(w.tx, [sensorId]);
      const order = due ? unsealOrder(ctx, due) : null;
      if (order?.id !== orderId) return;
      note(w, await store.takeOrders(w.tx, [{ sensorId, hash: hashToken(order.password) }]));
      // Before the commit: should that fail, the device is sent the same password again and gets in with it.
      await outside.put(wireId(sensorId), order.password);
    }),
  );
}

function note(w: Write, taken: readonly store.Taken[]): void {
  for (const { sensor_id: _id, owner_id, owner_path } of taken)
    w.audit({
      action: "renewCredential",
      object: { type: "sensor", _id },
      owner: { id: owner_id, path: owner_path },
    });
}
