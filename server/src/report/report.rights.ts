// Who may see and edit reports: editors of the owner, or of all locations that the report names (docs/rules/reports.md#rights).
import { resolveEditScope } from "@psp/contract/permission/can.ts";
import { sql } from "kysely";
import type { Reader } from "../db/database.ts";
import type { Condition } from "../db/list.ts";
import { whereEditable, whereOwnerIn, whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

const editableLocation = (caller: Caller) => sql<boolean>`(
  ${whereViewable(caller, "measurement", "l")}
  and ${whereEditable(caller, "measurement", "l")})`;

/** For the table `report`. Named locations that were deleted do not count. */
export function mayEditReport(caller: Caller): Condition {
  const owner = whereOwnerIn(resolveEditScope(caller, "owner"), caller, {
    id: "report.owner_id",
    path: "report.owner_path",
  });
  const named = sql`array(select jsonb_array_elements_text(report.query #> '{filters,ids}'))::uuid[]`;
  return sql<boolean>`(${owner} or (report.query #> '{filters,ids}' is not null and coalesce((
    select bool_and(${editableLocation(caller)}) from location l where l.id = any(${named}) and not l.is_deleted), false)))`;
}

export async function mayEditAll(reader: Reader, caller: Caller, locationIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ may: boolean | null }>`
    select bool_and(${editableLocation(caller)}) as may from location l
    where l.id = any(${[...locationIds]}::uuid[]) and not l.is_deleted`.execute(reader);
  return rows[0]?.may === true;
}

/** How many of the locations exist and are visible to the caller; deleted ones count if `withDeleted`. */
export async function countVisible(
  reader: Reader,
  caller: Caller,
  locationIds: readonly string[],
  { withDeleted }: { withDeleted: boolean },
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from location l where l.id = any(${[...locationIds]}::uuid[])
      and (${withDeleted} or not l.is_deleted)
      and ${whereViewable(caller, "measurement", "l")}`.execute(reader);
  return rows[0]?.n ?? 0;
}

/** How many of the locations the caller may edit; deleted ones count. */
export async function countEditable(reader: Reader, caller: Caller, locationIds: readonly string[]): Promise<number> {
  if (locationIds.length === 0) return 0;
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from location l where l.id = any(${[...locationIds]}::uuid[]) and ${editableLocation(caller)}`.execute(
    reader,
  );
  return rows[0]?.n ?? 0;
}

/** How many of the sensors are visible to the caller; deleted ones count. */
export async function countVisibleSensors(reader: Reader, caller: Caller, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from sensor where id = any(${[...ids]}::text[]) and ${whereViewable(caller, "sensor", "sensor")}`.execute(
    reader,
  );
  return rows[0]?.n ?? 0;
}
