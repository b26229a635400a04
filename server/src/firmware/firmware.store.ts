// Queries for firmware.
import type { firmwareListQuery } from "@psp/contract/firmware/firmware.query.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { type Expression, type Selectable, sql } from "kysely";
import type { z } from "zod";
import type { OwnerColumns, OwnerWithPath } from "../owned/owner.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../kit/caller.ts";
import type { Reader, Tx } from "../db/database.ts";
import { nameSortKeys, type Condition, conjunction, type PageSlice, limitClause, orderBy } from "../db/list.ts";
import { ownedConditions, ownerColumns } from "../owned/owned.store.ts";
import { whereFirmwareVisible } from "./firmware.rights.ts";
import { semverKey } from "@psp/contract/firmware/semver.ts";
import { type Neighbors, toSeqRange, chooseSeq } from "./seq.rules.ts";

type FirmwareFilter = Pick<z.output<typeof firmwareListQuery>, "ids" | "name" | "sensorType" | "ownerID">;

export type FirmwareRow = OwnerColumns & Selectable<Tables["firmware"]>;

export const firmwareTable = {
  table: "firmware",
  sees: (caller: Caller) => whereFirmwareVisible(caller, "firmware"),
} as const;

const sortable = {
  type: [sql.ref("firmware.type")],
  // Versions that differ only in build metadata have the same precedence and are ordered by text.
  name: [sql.ref("firmware.precedence"), sql.ref("firmware.name")],
  owner: nameSortKeys("owner"),
  createdAt: [sql.ref("firmware.created_at")],
  _id: [sql.ref("firmware.id")],
};
const byTypeAndVersion: SortKey[] = ["type", "name"].map((field) => ({ field, descending: false }));

export function firmwareConditions(caller: Caller, filter: FirmwareFilter, includeDeleted?: boolean): Condition[] {
  const all = ownedConditions(firmwareTable, caller, filter, includeDeleted);
  if (filter.sensorType) all.push(sql<boolean>`firmware.type = any(${filter.sensorType}::text[])`);
  return all;
}

function rowQuery(where: Expression<unknown>) {
  return sql<FirmwareRow>`
    select firmware.*, ${ownerColumns} from firmware join account owner on owner.id = firmware.owner_id where ${where}`;
}

export async function findFirmwarePage(db: Reader, conditions: Condition[], sort: SortKey[], part: PageSlice) {
  const order = orderBy(sort.length > 0 ? sort : byTypeAndVersion, sortable, "firmware.id");
  const page = sql<FirmwareRow>`${rowQuery(conjunction(conditions))} order by ${order} ${limitClause(part)}`;
  return (await page.execute(db)).rows;
}

export async function findFirmware(db: Reader, caller: Caller, id: string): Promise<FirmwareRow | null> {
  const where = conjunction([...firmwareConditions(caller, {}), sql<boolean>`firmware.id = ${id}`]);
  return (await rowQuery(where).execute(db)).rows[0] ?? null;
}

export async function isVersionTaken(db: Reader, ownerId: string, type: string, name: string): Promise<boolean> {
  const found = await db
    .selectFrom("firmware")
    .select("id")
    .where("owner_id", "=", ownerId)
    .where("type", "=", type)
    .where("name", "=", name)
    .where("is_deleted", "=", false)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Returns a sequence number that puts the version in SemVer order among the firmware of the owner and its ancestors. Firmware of other
 * accounts is ignored. Otherwise, one customer could use up the numbers of another. Includes deleted firmware, which devices may still
 * run. Locks until the commit, so that concurrent uploads get different numbers. Null if the owner's own firmware leaves no room.
 */
export async function assignSeq(
  tx: Tx,
  owner: Pick<OwnerWithPath, "id" | "parentAccounts">,
  type: string,
  version: string,
  self: string | null = null,
): Promise<number | null> {
  const place = toSeqRange(version);
  if (typeof place === "number") return place;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`firmware seq ${type} ${place.fromKey}`}, 0))`.execute(tx);
  const key = semverKey(version);
  const neighbors = async (owners: readonly string[]): Promise<Neighbors> => {
    const { rows } = await sql<Neighbors>`
      select max(seq) filter (where precedence = ${key}) as same, max(seq) filter (where precedence < ${key}) as below,
        min(seq) filter (where precedence > ${key}) as above
      from firmware
      where owner_id = any(${owners}::uuid[]) and type = ${type}
        and precedence >= ${place.fromKey} and precedence < ${place.toKey} and seq > ${place.low} and seq < ${place.high}
        and id is distinct from ${self}::uuid`.execute(tx);
    return rows[0] ?? { same: null, below: null, above: null };
  };
  return chooseSeq(place, await neighbors([owner.id]), await neighbors([...owner.parentAccounts, owner.id]));
}

/** Ignores rights, which the live hub checks itself. */
export async function findFirmwareForLive(db: Reader, ids: string[]): Promise<FirmwareRow[]> {
  return (await rowQuery(sql`firmware.id = any(${ids}::uuid[]) and not firmware.is_deleted`).execute(db)).rows;
}

/** The properties that devices need, for any owner and including deleted firmware. Skips firmware without a file. */
export async function findFirmwareWithFile(reader: Reader, ids: readonly string[]) {
  return reader
    .selectFrom("firmware")
    .select(["id", "type", "name", "size", "sha256", "md5", "seq", "signature", "is_deleted"])
    .where("id", "in", [...new Set(ids)])
    .where("package_id", "is not", null)
    .execute();
}
