// Creates, replaces and revokes the feed URL of the caller's account. The URL is shown only once.
import { errorCode } from "@psp/contract/errors.ts";
import { type FeedToken, getVehiclePositions } from "@psp/contract/feed/feed.api.ts";
import { buildPath } from "@psp/contract/kit/endpoint.ts";
import type { Context } from "../context.ts";
import { type UnitOfWork, write, writeOnceOnly } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import { requireOwnAccountEdit } from "../owned/owner.ts";
import * as store from "./feed.store.ts";

const tokenPrefix = "feed_";
const tokenForm = /^feed_[\w-]{43}$/;

export async function getFeedToken(ctx: Context, caller: Caller): Promise<FeedToken> {
  return toState(await store.findTokenCreatedAt(ctx.db, caller.id));
}

/** Replaces an earlier token. Throws 305 without the right to edit one's own account. */
export async function createFeedToken(ctx: Context, caller: Caller): Promise<FeedToken & { url: string }> {
  requireOwnAccountEdit(caller);
  const token = tokenPrefix + randomToken();
  // The response stored with the idempotency key must not contain the token.
  const createdAt = await writeOnceOnly(ctx, caller, "This idempotency key was already used", async (w) => {
    const now = ctx.clock.date();
    const wasThere = await store.replaceToken(w.tx, caller.id, hashToken(token), now);
    note(w, caller, wasThere, true);
    return now.toISOString();
  });
  const address = new URL(buildPath(getVehiclePositions, { id: caller.id }), ctx.config.publicUrl);
  address.searchParams.set("token", token);
  return { createdAt, url: address.href };
}

/** Needs no right: anyone in the account may revoke a leaked URL. */
export async function revokeFeedToken(ctx: Context, caller: Caller): Promise<FeedToken> {
  return write(ctx, caller, async (w) => {
    if (await store.deleteToken(w.tx, caller.id)) note(w, caller, true, false);
    return toState(null);
  });
}

/** Returns the account of the token. Throws 106 unless it is `accountId`, whether or not that account exists. */
export async function requireFeedAccount(
  ctx: Context,
  accountId: string,
  token: string | null,
): Promise<store.FeedAccount> {
  const account =
    token !== null && tokenForm.test(token) ? await store.findAccountByToken(ctx.db, hashToken(token)) : null;
  if (account?.id !== accountId) throw new AppError(errorCode.unauthorized);
  return account;
}

function note(w: UnitOfWork, caller: Caller, before: boolean, after: boolean): void {
  w.audit({
    action: "feed-token",
    object: { type: "account", _id: caller.id },
    owner: { id: caller.id, path: caller.path },
    before: { feedToken: before },
    after: { feedToken: after },
  });
}

const toState = (createdAt: Date | null): FeedToken => ({ createdAt: createdAt?.toISOString() ?? null });
