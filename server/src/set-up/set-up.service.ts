// Use cases of the set-up card: how far an account has come, and a login that does not want to see it.
import type { SetUp } from "@psp/contract/set-up/set-up.api.ts";
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import type { Caller } from "../kit/caller.ts";
import * as store from "./set-up.store.ts";

export async function getSetUp(ctx: Context, caller: Caller): Promise<SetUp> {
  if (await store.isDismissed(ctx.db, caller.credentialId)) return { dismissed: true, facts: null };
  return { dismissed: false, facts: await store.findFacts(ctx.db, caller) };
}

/** A setting of the screen: done twice it is done, and no matter for the audit trail. */
export async function dismissSetUp(ctx: Context, caller: Caller, dismissed: boolean): Promise<SetUp> {
  return write(ctx, caller, async ({ tx }) => {
    if (dismissed) await store.dismiss(tx, caller.credentialId, ctx.clock.date());
    else await store.bringBack(tx, caller.credentialId);
    return { dismissed, facts: dismissed ? null : await store.findFacts(tx, caller) };
  });
}
