// Confirms changes that may have cut the connection: the next tunnel proves that the sensor is back
// (docs/rules/settings.md#confirmed-changes). Otherwise the sensor reverts by itself.
import { confirmResultSchema, rpcResponseSchema } from "@psp/contract/section/rpc.ts";
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import { entityUpdated } from "../kit/bus.ts";
import { settleWithTimeout } from "../kit/limits/settle-with-timeout.ts";
import type { Tunnels } from "../tunnel/tunnel.service.ts";
import { createRpcRequest } from "./section.service.ts";
import * as store from "./section.store.ts";

/** A sensor disconnects two seconds after its response, so a tunnel opened earlier proves nothing. */
const leavesAfterMs = 2_000;

/**
 * Confirms changes over every new tunnel. Returns a function that stops this and waits briefly for confirmations in
 * progress.
 */
export function confirmChangesOverTunnels(ctx: Context, tunnels: Tunnels): () => Promise<void> {
  const atWork = new Set<Promise<void>>();
  const off = tunnels.onOpen((sensorId) => {
    const work = confirm(ctx, tunnels, sensorId)
      .catch((error: unknown) => ctx.log.warn({ err: error, sensorId }, "new settings could not be confirmed"))
      .finally(() => atWork.delete(work));
    atWork.add(work);
  });
  return async () => {
    off();
    await settleWithTimeout(atWork);
  };
}

async function confirm(ctx: Context, tunnels: Tunnels, sensorId: string): Promise<void> {
  // Read before the query, so that it is the time at which the tunnel opened.
  const now = ctx.clock.now();
  const awaited = await store.findConfirmation(ctx.db, sensorId);
  if (!awaited || now < awaited.set_at.getTime() + leavesAfterMs) return;
  const { sensor_num: num, rev, section } = awaited;
  if (now > awaited.until.getTime()) return store.endConfirmation(ctx.db, num, rev);
  const id = 1;
  const text = JSON.stringify({ jsonrpc: "2.0", id, method: "config.confirm", params: { rev } });
  const { status, body } = await tunnels.request(sensorId, createRpcRequest(text, ctx.config.autoLogin.edit));
  const answer = status === 200 ? rpcResponseSchema.safeParse(JSON.parse(body.toString("utf8"))) : null;
  // A sensor that refuses has reverted, or never changed.
  const isConfirmed = answer?.success === true && confirmResultSchema.safeParse(answer.data.result).success;
  await write(ctx, { system: "remote access" }, async (w) => {
    await store.endConfirmation(w.tx, num, rev);
    const owner = { id: awaited.owner_id, path: awaited.owner_path };
    if (isConfirmed)
      w.audit({ action: "config.confirm", object: { type: "sensor", _id: sensorId }, owner, after: { section, rev } });
    w.announce(entityUpdated("sensor", sensorId, awaited.owner_id));
  });
}

/** Deletes confirmations that expired a day ago, long after the sensor reverted. */
export async function deleteOldConfirmations(ctx: Context): Promise<void> {
  await store.deleteOverdueConfirmations(ctx.db, new Date(ctx.clock.now() - 86_400_000));
}
