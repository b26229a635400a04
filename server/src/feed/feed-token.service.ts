// Use cases about the address of an account's feed: made and shown once, replaced, revoked; each account does so for itself.
import { errorCode } from "@psp/contract/errors.ts";
import { type FeedToken, getVehiclePositions } from "@psp/contract/feed/feed.api.ts";
import { pathOf } from "@psp/contract/kit/endpoint.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import { type Write, write, writeOnceOnly } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import * as store from "./feed.store.ts";

/** Tells them from other tokens at a glance; either way only what is stored is accepted. */
const tokenPrefix = "feed_";
const tokenForm = /^feed_[\w-]{43}$/;

export async function getFeedToken(ctx: Context, caller: Caller): Promise<FeedToken> {
  return toState(await store.findToken(ctx.db, caller.id));
}

/** The address with a new token; the one before ends. 305 without the right to edit one's own account. */
export async function createFeedToken(ctx: Context, caller: Caller): Promise<FeedToken & { url: string }> {
  if (!canEdit(caller, "owner", caller))
    throw new AppError(errorCode.noEdit, { reason: "You can't edit your own account." });
  const token = tokenPrefix + randomToken();
  // What is kept under the idempotency key must not hold the token.
  const createdAt = await writeOnceOnly(ctx, caller, "The key was used already", async (w) => {
    const now = ctx.clock.date();
    const wasThere = await store.putToken(w.tx, caller.id, hashToken(token), now);
    note(w, caller, wasThere, true);
    return now.toISOString();
  });
  const address = new URL(pathOf(getVehiclePositions, { id: caller.id }), ctx.config.publicUrl);
  address.searchParams.set("token", token);
  return { createdAt, url: address.href };
}

/** Needs no right: who lost it must be able to end an address that leaked. */
export async function endFeedToken(ctx: Context, caller: Caller): Promise<FeedToken> {
  return write(ctx, caller, async (w) => {
    if (await store.deleteToken(w.tx, caller.id)) note(w, caller, true, false);
    return toState(null);
  });
}

/** The account that a token opens the feed of; everything else is 106 alike, whether the account exists or not. */
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

function note(w: Write, caller: Caller, before: boolean, after: boolean): void {
  w.audit({
    action: "feed-token",
    object: { type: "account", _id: caller.id },
    owner: { id: caller.id, path: caller.path },
    before: { feedToken: before },
    after: { feedToken: after },
  });
}

const toState = (createdAt: Date | null): FeedToken => ({ createdAt: createdAt?.toISOString() ?? null });
