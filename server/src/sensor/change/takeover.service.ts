// Claims a sensor by its registration code; the new owner does not get the former owner's data
// (docs/rules/claiming.md#claiming-a-sensor).
import type { Claim, ClaimableSensor } from "@psp/contract/claim/claim.ts";
import { publishEntity } from "../../owned/change.ts";
import type { OwnerWithPath } from "../../owned/owner.ts";
import type { Context } from "../../context.ts";
import { lockCountersOfSensors } from "../../count/rollup.service.ts";
import type { Reader, Tx } from "../../db/database.ts";
import type { UnitOfWork } from "../../db/write.ts";
import { endAllTasks } from "../../rollout/rollout.service.ts";
import { recordAssignmentChanges } from "./change.service.ts";
import { drawClaimingCodes } from "./hand-over.service.ts";
import { requestCredentialRenewal } from "../../device/credential/renewal.ts";
import { sensorTrail } from "../sensor.wire.ts";
import * as store from "./hand-over.store.ts";

export async function findClaimable(reader: Reader, code: string): Promise<ClaimableSensor | null> {
  const row = await store.findClaimable(reader, code);
  return row ? { id: row.id, type: row.type as ClaimableSensor["type"] } : null;
}

/** Locks sensors that are then claimed one by one. Call it first, or concurrent claims could deadlock. */
export async function lockClaimedSensors(tx: Tx, codes: readonly string[]): Promise<void> {
  if (codes.length > 0) await lockCountersOfSensors(tx, await store.lockSensorsByCodes(tx, codes));
}

/** Gives the sensor to `owner`; false if id, type and code don't match or it can't be claimed. */
export async function takeOver(ctx: Context, w: UnitOfWork, owner: OwnerWithPath, claim: Claim): Promise<boolean> {
  const { id, type, claimingCode: code } = claim;
  const [freshCode = ""] = await drawClaimingCodes(w.tx, 1);
  const request = { id, type, code, owner, freshCode, at: ctx.clock.date() };
  const former = await store.lockClaimedSensor(w.tx, request);
  if (!former) return false;
  if (former.owner_id !== owner.id) return release(ctx, w, request, former);
  if (!(await store.replaceClaimingCode(w.tx, request))) return false;
  announce(w, request, former, { ...sensorTrail(former), claimable: false });
  return true;
}

/** Ends the former owner's use of the sensor: firmware task, location, session, requests, retained messages. */
async function release(
  ctx: Context,
  w: UnitOfWork,
  request: store.TakeOver,
  former: store.FormerState,
): Promise<boolean> {
  // Each owner gets separate audit rows, because neither may learn the other's name.
  const formers: UnitOfWork = { ...w, audit: (entry) => w.audit({ ...entry, anonymous: true }) };
  await endAllTasks(ctx, formers, [request.id]);
  if (!(await store.moveToClaimer(w.tx, request))) return false;
  await requestCredentialRenewal(w.tx, [request.id]);
  if (former.location_id !== null) await recordAssignmentChanges(ctx, w.tx, [former.num], null);
  formers.audit({
    action: "release",
    object: { type: "sensor", _id: request.id },
    owner: { id: former.owner_id, path: former.owner_path },
    before: sensorTrail(former),
  });
  const bare = {
    location_id: null,
    firmware_id: null,
    groups: [],
    claimable: false,
    rest_username: null,
    monitoring_config: null,
  };
  announce(w, request, former, sensorTrail({ ...former, ...bare, owner_id: request.owner.id }));
  w.announce({ name: "sensorsDropped", event: { sensorIds: [request.id] } });
  return true;
}

function announce(w: UnitOfWork, { id, owner }: store.TakeOver, former: store.FormerState, after: unknown): void {
  w.audit({ action: "claim", object: { type: "sensor", _id: id }, owner, after });
  publishEntity(w, { type: "sensor", op: "update", id, ownerBefore: former.owner_id, ownerAfter: owner.id });
}
