// Use cases of displays: appearance, exchange of links for tokens, and revocation.
import { errorCode } from "@psp/contract/errors.ts";
import { createDefaultOccupancyApp, findOccupancyApp } from "@psp/contract/occupancy/occupancy-app.ts";
import type { Display } from "@psp/contract/occupancy/occupancy.api.ts";
import { canView } from "@psp/contract/permission/can.ts";
import { withOwnAccountView } from "@psp/contract/permission/permissions.ts";
import { z } from "zod";
import type { AfterVerification } from "../../auth/auth.service.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { write } from "../../db/write.ts";
import { daysAgo } from "../../kit/clock.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { deriveBoxKeys, openSealed } from "../../kit/sealed-box.ts";
import { hashToken, randomToken } from "../../kit/tokens.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { requireEditableLocation } from "../../location/applications/location.applications.service.ts";
import { findOwners, type OwnerWithPath } from "../../owned/owner.ts";
import { deleteOldOccupancyRows } from "../ledger/ledger.store.ts";
import * as store from "./display.store.ts";

/** Distinguishes display tokens from sessions and tickets; only stored tokens are accepted. */
export const displayTokenPrefix = "display_";

const loginSchema = z.object({ email: z.string().min(1).max(320), password: z.string().min(1).max(1024) });
export type SealedLogin = z.output<typeof loginSchema>;

/**
 * Decrypts the key of a link; null if it was not sealed for this server. Accepts only canonical base64url without padding, because
 * links are revoked by the hash of this text.
 */
export function decryptLink(ctx: Context, k: string): SealedLogin | null {
  const box = Buffer.from(k, "base64url");
  if (box.toString("base64url") !== k) return null;
  ctx.metrics.boxes.inc();
  const opened = openSealed(deriveBoxKeys(ctx.config.secrets.display), box);
  if (opened === null) return null;
  try {
    return loginSchema.safeParse(JSON.parse(Buffer.from(opened).toString("utf8"))).data ?? null;
  } catch {
    return null;
  }
}

/** Issues a token if the password is right and the account may view the location; throws 106 otherwise. */
export function issueToken(ctx: Context, locationId: string, k: string): AfterVerification<{ token: string }> {
  return async (w, { account_id: accountId, account_path: path, credential_id: credentialId }) => {
    const owner = await findViewed(w.tx, locationId, accountId);
    if (owner === null) throw new AppError(errorCode.unauthorized);
    if (!(await store.recordLinkUse(w.tx, locationId, hashToken(k)))) throw new AppError(errorCode.unauthorized);
    const token = displayTokenPrefix + randomToken();
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

async function findViewed(tx: Tx, locationId: string, accountId: string): Promise<OwnerWithPath | null> {
  const [place, actor] = [await store.findDisplayLocation(tx, locationId), await store.findActor(tx, accountId)];
  const owner = place && (await findOwners(tx, [place.ownerId])).get(place.ownerId);
  const rights = actor?.permissions ? { ...actor, permissions: withOwnAccountView(actor.permissions) } : null;
  return owner && rights && canView(rights, "measurement", owner) ? owner : null;
}

/** Registers a new link, so that it can be revoked before its first use. */
export function registerLink(locationId: string, k: string): AfterVerification<Record<string, never>> {
  return async (w, { account_id: accountId }) => {
    if ((await findViewed(w.tx, locationId, accountId)) === null)
      throw new AppError(errorCode.unauthorized, { field: "email", reason: "This login can't view the location." });
    if (!(await store.recordLinkUse(w.tx, locationId, hashToken(k)))) throw new AppError(errorCode.unauthorized);
    return {};
  };
}

export async function getDisplay(ctx: Context, locationId: string): Promise<Display> {
  const place = await store.findDisplayLocation(ctx.db, locationId);
  if (!place) throw new AppError(errorCode.notFound);
  const app = findOccupancyApp(place.applications) ?? createDefaultOccupancyApp();
  const enabled = app.enabled && place.isLicensed;
  return { _id: place.id, name: place.name, timezone: place.timezone, enabled, frontend: app.settings.frontend };
}

/** Revokes all display tokens of the location, and all its links that were registered or used so far. */
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

/** Lifetime of an unused display token. */
const unusedDays = 90;
/** Retention of the messages to displays. */
const shownDays = 400;

export async function deleteOldDisplayData(ctx: Context): Promise<void> {
  await store.deleteUnusedTokens(ctx.db, daysAgo(ctx, unusedDays));
  await deleteOldOccupancyRows(ctx.db, daysAgo(ctx, shownDays));
}
