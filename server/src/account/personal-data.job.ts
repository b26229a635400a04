// Expires unanswered invitations, and erases the names of deleted accounts and logins after a retention time (ADR 0011).
import { invitationLifetimeMs } from "@psp/contract/registration/registration.ts";
import type { Context } from "../context.ts";
import type { Database } from "../db/database.ts";
import { lockRights } from "../db/locks.ts";
import { write } from "../db/write.ts";
import type { Job } from "../kit/job.ts";
import { endInvitation } from "./account.ending.service.ts";
import { lockAccounts } from "./account.store.ts";
import * as store from "./personal-data.store.ts";

const everyMs = 3_600_000;
const dayMs = 86_400_000;
/** Rows per query, and audit rows per transaction. */
const batchSizes = { rows: 100, entries: 1000 };
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

type DueRows<T> = { what: string; find: (db: Database, part: store.PersonalDataPart) => Promise<T[]>; before: Date };

/** Logs and skips rows that fail, and returns their number. */
async function forEachRow<T extends store.PersonalDataCursor>(
  ctx: Context,
  { what, find, before }: DueRows<T>,
  handle: (one: T) => Promise<void>,
  stopping?: AbortSignal,
): Promise<number> {
  let stuck = 0;
  let last: store.PersonalDataCursor | null = null;
  for (;;) {
    const found: T[] = await find(ctx.db, { before, last, limit: batchSizes.rows });
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
    if (found.length < batchSizes.rows) return stuck;
  }
}

type Part = (ctx: Context, stopping?: AbortSignal) => Promise<number>;

/** Frees the email address. */
const endInvitations: Part = (ctx, stopping) => {
  const before = new Date(ctx.clock.now() - invitationLifetimeMs);
  const end = ({ id: credentialId, account_id }: { id: string; account_id: string }) =>
    write(ctx, author, async (w) => {
      await lockRights(w.tx, "use");
      const [account] = await lockAccounts(w.tx, [account_id]);
      if (!account || !(await store.lockInvitation(w.tx, credentialId))) return;
      await endInvitation(ctx, w, account, credentialId);
    });
  return forEachRow(ctx, { what: "invitation", find: store.findOldInvitations, before }, end, stopping);
};

const purgeLogins: Part = (ctx, stopping) => {
  const before = new Date(ctx.clock.now() - ctx.config.purgeAfterDays * dayMs);
  const purge = async (login: store.DueLogin) => {
    const isKnown = await store.isEmailStillUsed(ctx.db, login, before);
    if (
      !isKnown &&
      !(await repeatUntilDone(() => store.eraseEmailInAudit(ctx.db, login, batchSizes.entries), stopping))
    )
      return;
    await write(ctx, author, (w) => store.deleteLogin(w.tx, login));
  };
  return forEachRow(ctx, { what: "login", find: store.findDueLogins, before }, purge, stopping);
};

const purgeAccounts: Part = (ctx, stopping) => {
  const before = new Date(ctx.clock.now() - ctx.config.purgeAfterDays * dayMs);
  const purge = async ({ id }: store.PersonalDataCursor) => {
    // The audit log is erased first: if this is interrupted, the account is still due.
    if (!(await repeatUntilDone(() => store.eraseNamesInAudit(ctx.db, id, batchSizes.entries), stopping))) return;
    await write(ctx, author, async (w) => {
      const owner = await store.eraseAccount(w.tx, id, ctx.clock.date());
      await store.eraseReports(w.tx, id);
      if (owner) w.audit({ action: "purge", object: { type: "account", _id: id }, owner });
    });
  };
  return forEachRow(ctx, { what: "account", find: store.findDueAccounts, before }, purge, stopping);
};

/** Repeats until a batch is not full. Returns false if the server stops before that. */
async function repeatUntilDone(part: () => Promise<number>, stopping?: AbortSignal): Promise<boolean> {
  while ((await part()) === batchSizes.entries) if (stopping?.aborted) return false;
  return true;
}
