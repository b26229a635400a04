// Makes and withdraws VPN requests, which expire an hour after they were last repeated (ADR 0026).
import { errorCode } from "@psp/contract/errors.ts";
import { vpnRequestMs } from "@psp/contract/vpn/vpn-state.ts";
import type { Context } from "../context.ts";
import { type UnitOfWork, write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import { entityUpdated } from "../kit/bus.ts";
import { vpnReasons } from "./vpn.reasons.ts";
import * as store from "./vpn.store.ts";
import type { StoredVpn } from "./vpn.tables.ts";

const field = "connectToVPN";
const author = { system: "vpn" };

/** Throws 102 if the sensor can't be asked to connect. */
export function checkVpnRequest(vpn: StoredVpn | null, connect: boolean, changesHands: boolean): void {
  if (!connect) return;
  if (changesHands) throw new AppError(errorCode.invalidArgument, { field, ...vpnReasons.changesHands });
  if (vpn?.enabledOnSensor !== true) throw new AppError(errorCode.invalidArgument, { field, ...vpnReasons.notEnabled });
}

type Asked = { id: string; owner_id: string; owner_path: string; vpn: StoredVpn | null };

/**
 * Sets or withdraws the request of a checked, locked sensor. Writes an audit row only if this starts or ends a request, not if it
 * repeats one.
 */
export async function requestVpn(
  ctx: Context,
  w: UnitOfWork,
  { vpn, ...sensor }: Asked,
  connect: boolean,
): Promise<void> {
  const wasAsked = vpn?.connect === true;
  if (!connect && !wasAsked) return;
  const until = connect ? new Date(ctx.clock.now() + vpnRequestMs).toISOString() : null;
  await store.saveVpnRequest(w.tx, sensor.id, until);
  w.announce({ name: "desiredChanged", event: { sensorIds: [sensor.id] } });
  if (connect !== wasAsked) noteChange(w, sensor, connect);
}

function noteChange(w: UnitOfWork, { id, owner_id, owner_path }: Omit<Asked, "vpn">, connect: boolean): void {
  w.audit({
    action: "update",
    object: { type: "sensor", _id: id },
    owner: { id: owner_id, path: owner_path },
    before: { connectToVPN: !connect },
    after: { connectToVPN: connect },
  });
  w.announce(entityUpdated("sensor", id, owner_id));
}

export async function withdrawVpn(ctx: Context, w: UnitOfWork, ownerId: string): Promise<void> {
  for (const sensor of await store.findRequestedSensors(w.tx, ownerId)) await requestVpn(ctx, w, sensor, false);
}

const partSize = 500;

export async function withdrawExpiredVpnRequests(ctx: Context, stopping?: AbortSignal): Promise<void> {
  let ended = partSize;
  while (ended === partSize && !stopping?.aborted)
    ended = await write(ctx, author, async (w) => {
      const due = await store.withdrawExpiredRequests(w.tx, ctx.clock.date(), partSize);
      for (const sensor of due) noteChange(w, sensor, false);
      if (due.length > 0) w.announce({ name: "desiredChanged", event: { sensorIds: due.map(({ id }) => id) } });
      return due.length;
    });
}
