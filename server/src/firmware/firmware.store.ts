// SQL about firmware, nothing else.
import type { firmwareListQuery } from "@psp/contract/firmware/firmware.api.ts";
import { onlyUuids } from "@psp/contract/kit/ids.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { type Expression, sql } from "kysely";
import type { z } from "zod";
import type { OwnerColumns, PlacedOwner } from "../owned/owner.ts";
import type { Caller } from "../kit/caller.ts";
import type { Reader, Tx } from "../db/database.ts";
import { type Condition, conjunction, containsText, countRows, type Cut, cut, orderBy } from "../db/list.ts";
import { visibleFirmware } from "./firmware.rights.ts";
import { semverKey } from "./semver.ts";
import { type Neighbors, placeOf, seqAmong } from "./seq.ts";

export type FirmwareFilter = Pick<z.output<typeof firmwareListQuery>, "ids" | "name" | "sensorType" | "ownerID">;

export type FirmwareRow = OwnerColumns & {
  id: string;
  owner_path: string;
  type: string;
  name: string;
  children_can_view: boolean;
  size: string | null;
  md5: string | null;
  sha256: string | null;
  package_id: string | null;
  signature: string | null;
  is_deleted: boolean;
  version: number;
};

const sortable = {
  type: [sql.ref("firmware.type")],
  // Equal precedence (build metadata) is ordered by the text.
  name: [sql.ref("firmware.precedence"), sql.ref("firmware.name")],
  owner: [sql.ref("owner.name")],
  createdAt: [sql.ref("firmware.created_at")],
  _id: [sql.ref("firmware.id")],
};
const byTypeAndVersion: SortKey[] = [
  { field: "type", descending: false },
  { field: "name", descending: false },
];

/** What the caller's list shows: the view scope and what ancestors opened to their children, and every filter given. */
export function firmwareConditions(caller: Caller, filter: FirmwareFilter, includeDeleted?: boolean): Condition[] {
  const all: Condition[] = [visibleFirmware(caller, "firmware")];
  if (!includeDeleted) all.push(sql<boolean>`not firmware.is_deleted`);
  if (filter.ids) all.push(sql<boolean>`firmware.id = any(${onlyUuids(filter.ids)}::uuid[])`);
  if (filter.ownerID) all.push(sql<boolean>`firmware.owner_id = any(${onlyUuids(filter.ownerID)}::uuid[])`);
  if (filter.sensorType) all.push(sql<boolean>`firmware.type = any(${filter.sensorType}::text[])`);
  if (filter.name) all.push(containsText("firmware.name", filter.name));
  return all;
}

function rowQuery(where: Expression<unknown>) {
  return sql<FirmwareRow>`
    select firmware.*, owner.name as owner_name, owner.is_deleted as owner_is_deleted,
      owner.last_seen_at as owner_last_seen_at
    from firmware join account owner on owner.id = firmware.owner_id where ${where}`;
}

/** One page of rows; by type and then version unless asked otherwise. */
export async function findFirmwarePage(
  db: Reader,
  conditions: Condition[],
  sort: SortKey[],
  part: Cut,
): Promise<FirmwareRow[]> {
  const order = orderBy(sort.length > 0 ? sort : byTypeAndVersion, sortable, "firmware.id");
  const { rows } = await sql<FirmwareRow>`${rowQuery(conjunction(conditions))} order by ${order} ${cut(part)}`.execute(
    db,
  );
  return rows;
}

export async function countFirmware(db: Reader, conditions: Condition[]): Promise<number> {
  return countRows(db, "firmware", conditions);
}

/** One visible firmware, or null. */
export async function findFirmware(db: Reader, caller: Caller, id: string): Promise<FirmwareRow | null> {
  const where = conjunction([...firmwareConditions(caller, {}), sql<boolean>`firmware.id = ${id}`]);
  const { rows } = await rowQuery(where).execute(db);
  return rows[0] ?? null;
}

/** Whether the owner has this version of the type already. */
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
 * The number of a version in the SemVer order of what its owner and those above have; nobody else's firmware counts, or one
 * customer could take the numbers of another. Deleted firmware counts: devices may run it. Asked under a lock, so that two
 * uploads never get each other's. Null when the owner's own firmware leaves no room.
 */
export async function nextSeq(
  tx: Tx,
  owner: Pick<PlacedOwner, "id" | "parentAccounts">,
  type: string,
  version: string,
  self: string | null = null,
): Promise<number | null> {
  const place = placeOf(version);
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
  return seqAmong(place, await neighbors([owner.id]), await neighbors([...owner.parentAccounts, owner.id]));
}

/** Locks a visible firmware for a change (`update`), or against deletion while something points at it (`share`). */
export async function lockFirmware(tx: Tx, caller: Caller, id: string, how: "update" | "share") {
  const query = tx
    .selectFrom("firmware")
    .selectAll()
    .where("id", "=", id)
    .where("is_deleted", "=", false)
    .where(visibleFirmware(caller, "firmware"));
  return (how === "update" ? query.forUpdate() : query.forShare()).executeTakeFirst();
}

/** Rows by id whatever their owner; for the live hub, which asks about rights itself. */
export async function findFirmwareForLive(db: Reader, ids: string[]): Promise<FirmwareRow[]> {
  const where = sql`firmware.id = any(${ids}::uuid[]) and not firmware.is_deleted`;
  const { rows } = await rowQuery(where).execute(db);
  return rows;
}
