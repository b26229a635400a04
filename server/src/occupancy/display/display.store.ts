// Queries for display tokens, links, and the appearance of displays.
import type { Reader, Tx } from "../../db/database.ts";

export type DisplayLocationRow = {
  id: string;
  ownerId: string;
  name: string;
  timezone: string | null;
  applications: unknown[];
  isLicensed: boolean;
};

export async function findDisplayLocation(reader: Reader, locationId: string): Promise<DisplayLocationRow | null> {
  const row = await reader
    .selectFrom("location")
    .where("id", "=", locationId)
    .where("is_deleted", "=", false)
    .select((eb) => [
      "id",
      "owner_id as ownerId",
      "name",
      "timezone",
      "applications",
      eb
        .or([eb("license_buildings", "=", true), eb("license_occupancy", "=", true)])
        .$castTo<boolean>()
        .as("isLicensed"),
    ])
    .executeTakeFirst();
  return row ?? null;
}

const actorColumns = [
  "account.id",
  "account.path",
  "account.ancestor_ids as parentAccounts",
  "role.id as roleId",
  "role.permissions",
] as const;

export async function findActor(reader: Reader, accountId: string) {
  return reader
    .selectFrom("account")
    .leftJoin("role", (join) => join.onRef("role.id", "=", "account.role_id").on("role.is_deleted", "=", false))
    .where("account.id", "=", accountId)
    .where("account.is_deleted", "=", false)
    .select(actorColumns)
    .executeTakeFirst();
}

/** Returns undefined unless the token's login and account still exist. The rights are the account's current ones. */
export async function findToken(reader: Reader, hash: Buffer) {
  return reader
    .selectFrom("display_token as t")
    .innerJoin("account", "account.id", "t.account_id")
    .innerJoin("credential", "credential.id", "t.credential_id")
    .leftJoin("role", (join) => join.onRef("role.id", "=", "account.role_id").on("role.is_deleted", "=", false))
    .where("t.token_hash", "=", hash)
    .where("account.is_deleted", "=", false)
    .where("credential.is_deleted", "=", false)
    .select(["t.id as tokenId", "t.location_id as locationId", "t.last_used_at as lastUsedAt", ...actorColumns])
    .executeTakeFirst();
}

export type NewToken = {
  id: string;
  token_hash: Buffer;
  location_id: string;
  account_id: string;
  credential_id: string;
};

export async function insertToken(tx: Tx, token: NewToken, at: Date): Promise<void> {
  await tx
    .insertInto("display_token")
    .values({ ...token, created_at: at, last_used_at: at })
    .execute();
}

export async function touchToken(reader: Reader, id: string, at: Date): Promise<void> {
  await reader.updateTable("display_token").set({ last_used_at: at }).where("id", "=", id).execute();
}

export async function deleteTokens(tx: Tx, locationId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("display_token")
    .where("location_id", "=", locationId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Records the use of a link; false if it was revoked. */
export async function recordLinkUse(tx: Tx, locationId: string, keyHash: Buffer): Promise<boolean> {
  const link = await tx
    .insertInto("display_link")
    .values({ location_id: locationId, key_hash: keyHash })
    // Updates nothing, but waits for a concurrent revocation and sees its result.
    .onConflict((conflict) =>
      conflict.columns(["location_id", "key_hash"]).doUpdateSet((eb) => ({ key_hash: eb.ref("excluded.key_hash") })),
    )
    .returning("is_revoked")
    .executeTakeFirstOrThrow();
  return !link.is_revoked;
}

export async function revokeLinks(tx: Tx, locationId: string): Promise<void> {
  await tx.updateTable("display_link").set({ is_revoked: true }).where("location_id", "=", locationId).execute();
}

export async function deleteUnusedTokens(reader: Reader, until: Date): Promise<void> {
  await reader.deleteFrom("display_token").where("last_used_at", "<", until).execute();
}
