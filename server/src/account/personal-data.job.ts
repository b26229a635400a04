// Forgets people in time: unanswered invitations end, and what was deleted long enough ago loses its names (ADR 0011).
import { invitationMs } from "@psp/contract/registration/registration.ts";
import type { Context } from "../context.ts";
import { lockRights } from "../db/locks.ts";
import { write } from "../db/write.ts";
import type { Job } from "../kit/job.ts";
import { endLogin } from "./account.ending.service.ts";
import { lockAccounts } from "./account.store.ts";
import * as store from "./personal-data.store.ts";

const everyMs = 3_600_000;
const dayMs = 86_400_000;
/** Rows read at once, and entries of the trail changed in one transaction. */
const atOnce = { rows: 100, entries: 1000 };
const author = { system: "personal data" };

export function personalDataJob(ctx: Context): Job {
  return {
    name: "personal data",
    everyMs,
    async run(stopping) {
      const results = [];
      for (const part of [endInvitations, purgeLogins, purgeAccounts]) results.push(await part(ctx, stopping));
      const stuck = results.reduce((sum, one) => sum + one, 0);
      if (stuck > 0)
        throw new Error(`Personal data of ${stuck} rows could not be removed; it is tried again each hour.`);
    },
  };
}

/** Handles one after the other and returns how many failed: those are logged and passed over, so that none stops the rest. */
async function each<T extends store.Cursor>(
  ctx: Context,
  what: string,
  find: (last: store.Cursor | null) => Promise<T[]>,
  handle: (one: T) => Promise<void>,
  stopping?: AbortSignal,
): Promise<number> {
  let stuck = 0;
  let last: store.Cursor | null = null;
  for (;;) {
    const found: T[] = await find(last);
    for (const one of found) {
      try {
        await handle(one);
      } catch (error) {
        stuck += 1;
        ctx.log.error({ err: error, [what]: one.id }, "personal data could not be removed");
      }
      if (stopping?.aborted) return stuck;
      last = one;
    }
    if (found.length < atOnce.rows) return stuck;
  }
}

type Part = (ctx: Context, stopping?: AbortSignal) => Promise<number>;

/** The address becomes free; the account stays for its maker. */
const endInvitations: Part = (ctx, stopping) => {
  const before = new Date(ctx.clock.now() - invitationMs);
  const find = (last: store.Cursor | null) => store.findOldInvitations(ctx.db, before, last, atOnce.rows);
  const end = ({ id: credentialId, account_id }: { id: string; account_id: string }) =>
    write(ctx, author, async (w) => {
      await lockRights(w.tx, "use");
      const [account] = await lockAccounts(w.tx, [account_id]);
      if (!account || !(await store.holdInvitation(w.tx, credentialId))) return;
      // Its link still says what happened, until the login is forgotten.
      await endLogin(ctx, w, account, { credentialId, action: "invitation-expired", keepLink: true });
    });
  return each(ctx, "invitation", find, end, stopping);
};

const purgeLogins: Part = (ctx, stopping) => {
  const before = new Date(ctx.clock.now() - ctx.config.purgeAfterDays * dayMs);
  const find = (last: store.Cursor | null) => store.findDueLogins(ctx.db, before, last, atOnce.rows);
  const purge = async (login: store.DueLogin) => {
    const isKnown = await store.isStillKnown(ctx.db, login, before);
    if (!isKnown && !(await all(() => store.forgetEmailInTrail(ctx.db, login, atOnce.entries), stopping))) return;
    await write(ctx, author, (w) => store.deleteLogin(w.tx, login));
  };
  return each(ctx, "login", find, purge, stopping);
};

const purgeAccounts: Part = (ctx, stopping) => {
  const before = new Date(ctx.clock.now() - ctx.config.purgeAfterDays * dayMs);
  const find = (last: store.Cursor | null) => store.findDueAccounts(ctx.db, before, last, atOnce.rows);
  const purge = async ({ id }: store.Cursor) => {
    // The trail first: what is cut short here is found again, as the account is still due.
    if (!(await all(() => store.forgetNamesInTrail(ctx.db, id, atOnce.entries), stopping))) return;
    await write(ctx, author, async (w) => {
      const owner = await store.forgetAccount(w.tx, id, ctx.clock.date());
      if (owner) w.audit({ action: "purge", object: { type: "account", _id: id }, owner });
    });
  };
  return each(ctx, "account", find, purge, stopping);
};

/** Repeats until a part is not full; false when the server stops before. */
async function all(part: () => Promise<number>, stopping?: AbortSignal): Promise<boolean> {
  while ((await part()) === atOnce.entries) if (stopping?.aborted) return false;
  return true;
}
