// Queries for init tokens.
import type { initTokenListQuery } from "@psp/contract/init-token/init-token.api.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { type Expression, type Selectable, sql } from "kysely";
import type { z } from "zod";
import type { OwnerColumns } from "../owned/owner.ts";
import type { Caller } from "../kit/caller.ts";
import type { Reader } from "../db/database.ts";
import { nameSortKeys, type Condition, conjunction, type PageSlice, limitClause, orderBy } from "../db/list.ts";
import { visibleByOwner, ownedConditions, ownerColumns } from "../owned/owned.store.ts";
import type { Tables } from "../db/tables.ts";
import { whereEditable } from "../db/visible.ts";
import { whereFirmwareVisible } from "../firmware/firmware.rights.ts";

type InitTokenFilter = Pick<z.output<typeof initTokenListQuery>, "ids" | "name" | "ownerID">;

export type InitTokenRow = OwnerColumns &
  Selectable<Tables["init_token"]> & {
    may_edit: boolean;
    firmware_ref: { _id: string; name: string; type: string; isDeleted: boolean } | null;
  };

/** The rights for sensors apply to init tokens. */
export const initTokenTable = { table: "init_token", sees: visibleByOwner("init_token", "sensor") } as const;

const sortable = {
  name: nameSortKeys("init_token"),
  type: [sql.ref("firmware.type")],
  owner: nameSortKeys("owner"),
  firmware: [sql.ref("firmware.precedence"), sql.ref("firmware.name")],
  _id: [sql.ref("init_token.id")],
};

export function initTokenConditions(caller: Caller, filter: InitTokenFilter, includeDeleted?: boolean): Condition[] {
  return ownedConditions(initTokenTable, caller, filter, includeDeleted);
}

/** Joins firmware only if the caller may view it, so that sorting does not reveal it either. */
function rowQuery(caller: Caller, where: Expression<unknown>) {
  return sql<InitTokenRow>`
    select init_token.*, ${ownerColumns},
      ${whereEditable(caller, "sensor", "init_token")} as may_edit,
      case when firmware.id is not null then jsonb_build_object('_id', firmware.id, 'name', firmware.name,
        'type', firmware.type, 'isDeleted', firmware.is_deleted) end as firmware_ref
    from init_token
    join account owner on owner.id = init_token.owner_id
    left join firmware on firmware.id = init_token.firmware_id and ${whereFirmwareVisible(caller, "firmware")}
    where ${where}`;
}

export async function findInitTokenPage(
  db: Reader,
  caller: Caller,
  conditions: Condition[],
  sort: SortKey[],
  part: PageSlice,
): Promise<InitTokenRow[]> {
  const order = orderBy(sort.length > 0 ? sort : [{ field: "name", descending: false }], sortable, "init_token.id");
  const { rows } = await sql<InitTokenRow>`
    ${rowQuery(caller, conjunction(conditions))} order by ${order} ${limitClause(part)}`.execute(db);
  return rows;
}

export async function findInitToken(db: Reader, caller: Caller, id: string): Promise<InitTokenRow | null> {
  const where = conjunction([...initTokenConditions(caller, {}), sql<boolean>`init_token.id = ${id}`]);
  const { rows } = await rowQuery(caller, where).execute(db);
  return rows[0] ?? null;
}

export async function findSealedValue(db: Reader, id: string) {
  return db.selectFrom("init_token").select(["id", "token_sealed"]).where("id", "=", id).executeTakeFirst();
}

/** Omits the secret. Does not check rights, because the live hub does. */
export async function findInitTokensForLive(db: Reader, ids: string[]) {
  return db
    .selectFrom("init_token as t")
    .innerJoin("account as o", "o.id", "t.owner_id")
    .leftJoin("firmware as f", "f.id", "t.firmware_id")
    .where("t.id", "in", ids)
    .where("t.is_deleted", "=", false)
    .select(["t.id", "t.name", "t.owner_id", "t.owner_path", "t.firmware_id", "t.is_deleted", "t.version"])
    .select(["o.name as owner_name", "o.is_deleted as owner_is_deleted", "o.last_seen_at as owner_last_seen_at"])
    .select(["f.name as firmware_name", "f.type as firmware_type", "f.is_deleted as firmware_is_deleted"])
    .select(["f.owner_id as firmware_owner_id", "f.children_can_view as firmware_children"])
    .execute();
}
