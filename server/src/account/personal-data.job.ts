// Forgets people in time: unanswered invitations end, and what was deleted long enough ago loses its names (ADR 0046).
import { invitationMs } from "@psp/contract/registration/registration.ts";
import type { Context } from "../context.ts";
import { lockRights } from "../db/locks.ts";
import { write } from "../db/write.ts";
import type { Job } from "../jobs/scheduler.ts";
import { endLogin } from "./account.ending.service.ts";
import { lockAccounts } from "./account.store.ts";
import * as store from "./personal-data.store.ts";

const everyMs = 3_600_000;
const dayMs = 86_400_000;
/** Small enough that no one waits for a part, and that a stop finds an end. */
const atOnce = { logins: 100, accounts: 100, entries: 1000 };
const author = { system: "personal data" };

export function personalDataJob(ctx: Context): Job {
  return {
    name: "personal data",
    everyMs,
    async run(stopping) {
      const parts = [endInvitations, purgeLogins, purgeAccounts];
      for (const part of parts) while ((await part(ctx, stopping)) === "more" && !stopping?.aborted);
    },
  };
}

type Part = (ctx: Context, stopping?: AbortSignal) => Promise<"more" | "done">;

/** The address becomes free; the account stays for its maker. */
const endInvitations: Part = async (ctx) => {
  const before = new Date(ctx.clock.now() - invitationMs);
  const old = await store.findOldInvitations(ctx.db, before, atOnce.logins);
  if (old.length === 0) return "done";
  await write(ctx, author, async (w) => {
    await lockRights(w.tx, "use");
    const accountIds = old.map(({ account_id }) => account_id);
    for (const account of await lockAccounts(w.tx, accountIds)) {
      for (const { id: credentialId, account_id } of old) {
        if (account_id !== account.id || !(await store.holdInvitation(w.tx, credentialId))) continue;
        // Its link still says what happened, until the login is forgotten.
        await endLogin(ctx, w, account, { credentialId, action: "invitation-expired", keepLink: true });
      }
    }
  });
  return old.length === atOnce.logins ? "more" : "done";
};

const purgeLogins: Part = async (ctx, stopping) => {
  const before = new Date(ctx.clock.now() - ctx.config.purgeAfterDays * dayMs);
  const due = await store.findDueLogins(ctx.db, before, atOnce.logins);
  if (due.length === 0) return "done";
  const known = await store.stillKnown(ctx.db, due, before);
  const unknown = due.filter(({ id }) => !known.has(id));
  if (!(await all(() => store.forgetEmailsInTrail(ctx.db, unknown, atOnce.entries), stopping))) return "done";
  await write(ctx, author, (w) => store.deleteLogins(w.tx, due));
  return "more";
};

const purgeAccounts: Part = async (ctx, stopping) => {
  const before = new Date(ctx.clock.now() - ctx.config.purgeAfterDays * dayMs);
  const ids = await store.findDueAccounts(ctx.db, before, atOnce.accounts);
  if (ids.length === 0) return "done";
  // The trail first: what is cut short here is found again, as the accounts are still due.
  if (!(await all(() => store.forgetNamesInTrail(ctx.db, ids, atOnce.entries), stopping))) return "done";
  await write(ctx, author, async (w) => {
    for (const owner of await store.forgetAccounts(w.tx, ids, ctx.clock.date()))
      w.audit({ action: "purge", object: { type: "account", _id: owner.id }, owner });
  });
  return "more";
};

/** Repeats until a part is not full; false when the server stops before. */
async function all(part: () => Promise<number>, stopping?: AbortSignal): Promise<boolean> {
  while ((await part()) === atOnce.entries) if (stopping?.aborted) return false;
  return true;
}
