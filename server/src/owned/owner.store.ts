// SQL about owners: their places in the tree by id, living or not.
import type { Reader } from "../db/database.ts";

const columns = [
  "id",
  "name",
  "path",
  "ancestor_ids as parentAccounts",
  "role_id as roleId",
  "is_deleted as isDeleted",
] as const;

/** Deleted ones included. */
export async function findPlaced(reader: Reader, ids: readonly string[]) {
  return reader
    .selectFrom("account")
    .where("id", "in", [...new Set(ids)])
    .select(columns)
    .execute();
}

/** A living one, locked against deletion until the commit. */
export async function holdPlaced(reader: Reader, id: string) {
  return reader
    .selectFrom("account")
    .where("id", "=", id)
    .where("is_deleted", "=", false)
    .select(columns)
    .forShare()
    .executeTakeFirst();
}
