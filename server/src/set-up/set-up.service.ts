// Use cases of the set-up card: an account's progress, and dismissing the card per login.
import type { SetUp } from "@psp/contract/set-up/set-up.api.ts";
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import type { Caller } from "../kit/caller.ts";
import * as store from "./set-up.store.ts";

export async function getSetUp(ctx: Context, caller: Caller): Promise<SetUp> {
  if (await store.isDismissed(ctx.db, caller.credentialId)) return { dismissed: true, facts: null };
  return { dismissed: false, facts: await store.findSetUpFacts(ctx.db, caller) };
}

/** Idempotent, and not audited. */
export async function setCardDismissed(ctx: Context, caller: Caller, dismissed: boolean): Promise<SetUp> {
  return write(ctx, caller, async ({ tx }) => {
    if (dismissed) await store.dismissCard(tx, caller.credentialId, ctx.clock.date());
    else await store.restoreCard(tx, caller.credentialId);
    return { dismissed, facts: dismissed ? null : await store.findSetUpFacts(tx, caller) };
  });
}
