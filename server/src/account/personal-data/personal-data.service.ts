// Expires unanswered invitations, and erases the names of deleted accounts and logins after a retention time (ADR 0011). After a
// restore, erases again what was erased since the backup (docs/rules/backup.md#personal-data).
import { invitationLifetimeMs } from "@psp/contract/registration/registration.ts";
import type { Context } from "../../context.ts";
import type { Database } from "../../db/database.ts";
import { lockRights } from "../../db/locks.ts";
import { write } from "../../db/write.ts";
import { type Erased, noteErased } from "../../kit/backup/erased-ids.ts";
import { endInvitation } from "../account.ending.service.ts";
import { lockAccounts } from "../account.store.ts";
import * as store from "./personal-data.store.ts";

const dayMs = 86_400_000;
/** Rows per query, and audit rows per transaction. */
const batchSizes = { rows: 100, entries: 1000 };
const author = { system: "personal data" };

/** Returns the number of rows that failed; each is logged. */
export async function purgePersonalData(ctx: Context, stopping?: AbortSignal): Promise<number> {
  let stuck = 0;
  for (const part of [endInvitations, purgeLogins, purgeAccounts]) stuck += await part(ctx, stopping);
  return stuck;
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
  const purge = (login: store.DueLogin) => eraseLogin(ctx, login, before, stopping);
  return forEachRow(ctx, { what: "login", find: store.findDueLogins, before }, purge, stopping);
};

const purgeAccounts: Part = (ctx, stopping) => {
  const before = new Date(ctx.clock.now() - ctx.config.purgeAfterDays * dayMs);
  const purge = ({ id }: store.PersonalDataCursor) => eraseAccount(ctx, id, stopping);
  return forEachRow(ctx, { what: "account", find: store.findDueAccounts, before }, purge, stopping);
};

const toErased = (ctx: Context, type: Erased["type"], id: string): Erased => ({
  type,
  id,
  at: ctx.clock.date().toISOString(),
});

async function eraseLogin(ctx: Context, login: store.DueLogin, before: Date, stopping?: AbortSignal): Promise<void> {
  await noteErased(ctx.config.backupDir, toErased(ctx, "login", login.id));
  const isKnown = await store.isEmailStillUsed(ctx.db, login, before);
  if (!isKnown && !(await repeatUntilDone(() => store.eraseEmailInAudit(ctx.db, login, batchSizes.entries), stopping)))
    return;
  await write(ctx, author, (w) => store.deleteLogin(w.tx, login));
}

async function eraseAccount(ctx: Context, id: string, stopping?: AbortSignal): Promise<void> {
  await noteErased(ctx.config.backupDir, toErased(ctx, "account", id));
  // The audit log is erased first: if this is interrupted, the account is still due.
  if (!(await repeatUntilDone(() => store.eraseNamesInAudit(ctx.db, id, batchSizes.entries), stopping))) return;
  await write(ctx, author, async (w) => {
    const owner = await store.eraseAccount(w.tx, id, ctx.clock.date());
    await store.eraseReports(w.tx, id);
    if (owner) w.audit({ action: "purge", object: { type: "account", _id: id }, owner });
  });
}

/** Erases accounts and logins that exist again because an older state of the database was restored. Returns how many did. */
export async function eraseAgain(ctx: Context, list: readonly Erased[]): Promise<number> {
  const idsOf = (wanted: Erased["type"]) => [...new Set(list.flatMap(({ type, id }) => (type === wanted ? [id] : [])))];
  const accounts = await store.markDeletedAgain(ctx.db, idsOf("account"), ctx.clock.date());
  const logins = await store.findLoginsToErase(ctx.db, idsOf("login"), accounts);
  for (const login of logins) await eraseLogin(ctx, login, ctx.clock.date());
  for (const id of accounts) await eraseAccount(ctx, id);
  return accounts.length + logins.length;
}

/** Repeats until a batch is not full. Returns false if the server stops before that. */
async function repeatUntilDone(part: () => Promise<number>, stopping?: AbortSignal): Promise<boolean> {
  while ((await part()) === batchSizes.entries) if (stopping?.aborted) return false;
  return true;
}
