// A sensor changes hands by its registration code; the former owner's data stays behind (docs/rules/claiming.md#claiming-a-sensor).
import type { Claim, Claimable } from "@psp/contract/claim/claim.ts";
import { announceEntity } from "../../owned/change.ts";
import type { PlacedOwner } from "../../owned/owner.ts";
import type { Context } from "../../context.ts";
import { holdDaysOfSensors } from "../../count/rollup.service.ts";
import type { Reader, Tx } from "../../db/database.ts";
import type { Write } from "../../db/write.ts";
import { forgetTasks } from "../../rollout/rollout.service.ts";
import { recordMoves } from "./change.service.ts";
import { drawClaimingCodes } from "./hand-over.service.ts";
import { renewCredentialOnHandover } from "../../device/credential/renewal.ts";
import { sensorTrail } from "../sensor.wire.ts";
import * as store from "./hand-over.store.ts";

/** The sensor that can be claimed by a code, or null. */
export async function findClaimable(reader: Reader, code: string): Promise<Claimable | null> {
  const row = await store.findClaimable(reader, code);
  return row ? { id: row.id, type: row.type as Claimable["type"] } : null;
}

/** To be called first where several sensors are claimed one by one. */
export async function holdClaimed(tx: Tx, codes: readonly string[]): Promise<void> {
  if (codes.length > 0) await holdDaysOfSensors(tx, await store.lockByCodes(tx, codes));
}

/** Gives the sensor to `owner`; false when id, type and code don't belong together or it can't be claimed. */
export async function takeOver(ctx: Context, w: Write, owner: PlacedOwner, claim: Claim): Promise<boolean> {
  const { id, type, claimingCode: code } = claim;
  const [freshCode = ""] = await drawClaimingCodes(w.tx, 1);
  const request = { id, type, code, owner, freshCode, at: ctx.clock.date() };
  const former = await store.lockClaimed(w.tx, request);
  if (!former) return false;
  if (former.owner_id !== owner.id) return release(ctx, w, request, former);
  if (!(await store.spendCode(w.tx, request))) return false;
  announce(w, request, former, { ...sensorTrail(former), claimable: false });
  return true;
}

/** Ends what the former owner had going with the sensor: its firmware task, place, session, questions, retained messages. */
async function release(ctx: Context, w: Write, request: store.TakeOver, former: store.Former): Promise<boolean> {
  // Each side has rows of its own: whose the sensor is now is no business of the former owner, nor the other way round.
  const formers: Write = { ...w, audit: (entry) => w.audit({ ...entry, nameless: true }) };
  await forgetTasks(ctx, formers, [request.id]);
  if (!(await store.moveToClaimer(w.tx, request))) return false;
  await renewCredentialOnHandover(w.tx, [request.id]);
  if (former.location_id !== null) await recordMoves(ctx, w.tx, [former.num], null);
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

function announce(w: Write, { id, owner }: store.TakeOver, former: store.Former, after: unknown): void {
  w.audit({ action: "claim", object: { type: "sensor", _id: id }, owner, after });
  announceEntity(w, { type: "sensor", op: "update", id, ownerBefore: former.owner_id, ownerAfter: owner.id });
}
