// Use cases about displays: how one looks, links that are exchanged for tokens, and their revocation.
import { errorCode } from "@psp/contract/errors.ts";
import { defaultOccupancyApp, occupancyAppOf } from "@psp/contract/occupancy/occupancy-app.ts";
import type { Display } from "@psp/contract/occupancy/occupancy.api.ts";
import { canView } from "@psp/contract/permission/can.ts";
import { withOwnView } from "@psp/contract/permission/permissions.ts";
import { z } from "zod";
import type { AfterProof } from "../../auth/auth.service.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { write } from "../../db/write.ts";
import { before } from "../../kit/clock.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { boxKeys, openSealed } from "../../kit/sealed-box.ts";
import { hashToken, randomToken } from "../../kit/tokens.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { requireEditableLocation } from "../../location/applications/location.applications.service.ts";
import { findOwners, type PlacedOwner } from "../../owned/owner.ts";
import { deleteOld } from "../ledger/ledger.store.ts";
import * as store from "./display.store.ts";

/** Distinguishes them from sessions and tickets by their look; either way only what is stored is accepted. */
export const tokenPrefix = "display_";

/** What is sealed in a display's link. */
const loginSchema = z.object({ email: z.string().min(1).max(320), password: z.string().min(1).max(1024) });
export type SealedLogin = z.output<typeof loginSchema>;

/**
 * The address and password in the key of a link; null when it was not sealed for this server. The key is accepted only as
 * base64url writes the box, without padding: links are revoked by the hash of this text.
 */
export function openLink(ctx: Context, k: string): SealedLogin | null {
  const box = Buffer.from(k, "base64url");
  if (box.toString("base64url") !== k) return null;
  ctx.metrics.boxes.inc();
  const opened = openSealed(boxKeys(ctx.config.secrets.display), box);
  if (opened === null) return null;
  try {
    return loginSchema.safeParse(JSON.parse(Buffer.from(opened).toString("utf8"))).data ?? null;
  } catch {
    return null;
  }
}

/** Makes a token for those whose password is right, and who may view the location; everything else is 106 alike. */
export function issueToken(ctx: Context, locationId: string, k: string): AfterProof<{ token: string }> {
  return async (w, { account_id: accountId, account_path: path, credential_id: credentialId }) => {
    const owner = await findViewed(w.tx, locationId, accountId);
    if (owner === null) throw new AppError(errorCode.unauthorized);
    if (!(await store.noteLink(w.tx, locationId, hashToken(k)))) throw new AppError(errorCode.unauthorized);
    const token = tokenPrefix + randomToken();
    const now = ctx.clock.date();
    const id = uuidv7(now.getTime());
    const row = { id, token_hash: hashToken(token), location_id: locationId };
    await store.insertToken(w.tx, { ...row, account_id: accountId, credential_id: credentialId }, now);
    w.audit({
      action: "openDisplay",
      object: { type: "measurement", _id: locationId },
      owner: { id: owner.id, path: owner.path },
      after: { display: id },
    });
    w.audit({ action: "openDisplay", object: { type: "account", _id: accountId }, owner: { id: accountId, path } });
    return { token };
  };
}

/** The owner of a location that an account may view, else null. */
async function findViewed(tx: Tx, locationId: string, accountId: string): Promise<PlacedOwner | null> {
  const [place, actor] = [await store.findPlace(tx, locationId), await store.findActor(tx, accountId)];
  const owner = place && (await findOwners(tx, [place.ownerId])).get(place.ownerId);
  const rights = actor?.permissions ? { ...actor, permissions: withOwnView(actor.permissions) } : null;
  return owner && rights && canView(rights, "measurement", owner) ? owner : null;
}

/** For a link that is being made: notes it, so that a revocation ends it before it was ever opened. */
export function admitLink(locationId: string, k: string): AfterProof<Record<string, never>> {
  return async (w, { account_id: accountId }) => {
    if ((await findViewed(w.tx, locationId, accountId)) === null)
      throw new AppError(errorCode.unauthorized, { field: "email", reason: "This login can't view the location" });
    if (!(await store.noteLink(w.tx, locationId, hashToken(k)))) throw new AppError(errorCode.unauthorized);
    return {};
  };
}

/** How the display of a living location looks. */
export async function lookOf(ctx: Context, locationId: string): Promise<Display> {
  const place = await store.findPlace(ctx.db, locationId);
  if (!place) throw new AppError(errorCode.notFound);
  const app = occupancyAppOf(place.applications) ?? defaultOccupancyApp();
  const enabled = app.enabled && place.isLicensed;
  return { _id: place.id, name: place.name, timezone: place.timezone, enabled, frontend: app.settings.frontend };
}

/** Ends every token of the location's displays, and the links that they came by. */
export async function revokeTokens(ctx: Context, caller: Caller, locationId: string): Promise<{ revoked: number }> {
  return write(ctx, caller, async (w) => {
    const { owner } = await requireEditableLocation(w.tx, caller, locationId);
    const revoked = await store.deleteTokens(w.tx, locationId);
    await store.revokeLinks(w.tx, locationId);
    w.audit({
      action: "revokeDisplays",
      object: { type: "measurement", _id: locationId },
      owner,
      after: { revoked },
    });
    w.announce({ name: "displaysRevoked", event: { locationIds: [locationId] } });
    return { revoked };
  });
}

/** A display that did not come back for so long is gone. */
const unusedDays = 90;
/** How long it can be asked what displays were sent. */
const shownDays = 400;

export async function forgetDisplays(ctx: Context): Promise<void> {
  await store.deleteUnused(ctx.db, before(ctx, unusedDays));
  await deleteOld(ctx.db, before(ctx, shownDays));
}
