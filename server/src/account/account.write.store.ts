// Queries that write accounts, and lock the parents of new ones.
import { registrationSteps } from "@psp/contract/account/account.ts";
import type { Insertable, Updateable } from "kysely";
import type { Database, Reader, Tx } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { bumpVersion } from "../db/write.ts";
import type { Clock } from "../kit/clock.ts";

type Account = Tables["account"];

export async function hasAccounts(db: Database | Tx): Promise<boolean> {
  return (await db.selectFrom("account").select("id").limit(1).executeTakeFirst()) !== undefined;
}

export async function insertAccounts(tx: Tx, accounts: readonly Insertable<Account>[]) {
  return tx.insertInto("account").values(accounts).returningAll().execute();
}

type NewCredential = Omit<Insertable<Tables["credential"]>, "password_hash" | "reg_token" | "verify_token"> & {
  password_hash?: string;
  reg_token?: Buffer;
};

export async function insertCredentials(tx: Tx, credentials: readonly NewCredential[]): Promise<void> {
  const without = { password_hash: null, reg_token: null, verify_token: null };
  const values = credentials.map((credential) => ({ ...without, ...credential }));
  await tx.insertInto("credential").values(values).execute();
}

/** Also increments the version. */
export async function updateAccounts(
  ctx: { clock: Clock },
  tx: Tx,
  ids: readonly string[],
  columns: Updateable<Account> = {},
): Promise<void> {
  await tx
    .updateTable("account")
    .set({ ...bumpVersion(ctx), ...columns })
    .where("id", "in", ids)
    .execute();
}

export async function getAccountRow(tx: Tx, id: string) {
  return tx.selectFrom("account").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

/** Locks the account against deletion until the commit. Skips a deleted account. */
export async function lockParentAccount(reader: Reader, id: string) {
  return reader
    .selectFrom("account")
    .select([
      "id",
      "name",
      "path",
      "ancestor_ids",
      "ancestor_ids as parentAccounts",
      "role_id as roleId",
      "is_colleague",
    ])
    .where("id", "=", id)
    .where("is_deleted", "=", false)
    .forShare()
    .executeTakeFirst();
}

/** Also invalidates the links in the mails of the registration. */
export async function rejectRegistration(tx: Tx, credentialId: string): Promise<void> {
  await tx
    .updateTable("credential")
    .set({ step: registrationSteps.rejected, reg_token: null, verify_token: null, token_expires_at: null })
    .where("id", "=", credentialId)
    .execute();
}
