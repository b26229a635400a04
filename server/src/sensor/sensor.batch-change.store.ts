// One part of a batch as one statement: lock what may be seen, judge every sensor and field, write, and leave the audit rows.
import { changeOwnerSets, deleteSet, editSet, viewSet } from "@psp/contract/permission/can.ts";
import { type RawBuilder, sql } from "kysely";
import type { Caller } from "../caller.ts";
import type { Tx } from "../db/database.ts";
import { setCountsItself } from "../db/owned-count.ts";
import { uuidv7 } from "../db/uuid.ts";
import { ownerIn } from "../db/visible.ts";

/** What a change points at, with the rights that are the same for every sensor. */
export type Target = {
  owner: { id: string; path: string; mayReceive: boolean; mayAssign: boolean } | undefined;
  location: { id: string; mayAssign: boolean } | null | undefined;
  firmware: { id: string; type: string; mayUse: boolean } | null | undefined;
  groups: readonly string[] | undefined;
  claimable: boolean | undefined;
};

export type Judged = {
  id: string;
  num: number;
  /** 0: written; else the catalogue's number. */
  code: number;
  owner_before: string;
  location_before: string | null;
  firmware_before: string | null;
};

type Author = { caller: Caller; requestId: string; at: Date };

/** Changes these sensors, but for their firmware, as far as the caller may; one row per visible sensor, the others are not there (105). */
export async function updatePart(tx: Tx, author: Author, ids: readonly string[], to: Target): Promise<Judged[]> {
  const { owner, location, firmware, groups, claimable } = to;
  const sets = [sql`version = s.version + 1`, sql`updated_at = ${author.at}::timestamptz`];
  if (owner) sets.push(sql`owner_id = ${owner.id}::uuid`, sql`owner_path = ${owner.path}::text`);
  if (location !== undefined) sets.push(sql`location_id = ${location?.id ?? null}::uuid`);
  if (groups !== undefined) sets.push(sql`groups = ${[...new Set(groups)]}::text[]`);
  if (claimable !== undefined) sets.push(sql`claimable = ${claimable}::boolean`);
  return run(tx, author, ids, {
    action: "update",
    code: updateCode(author.caller, to),
    sets,
    after: trail("w", firmware),
  });
}

/** Deletes these sensors as far as the caller may, as the single call does. */
export async function deletePart(tx: Tx, author: Author, ids: readonly string[]): Promise<Judged[]> {
  const may = ownerIn(deleteSet(author.caller, "sensor"), author.caller, ownerColumns);
  const sets = [
    sql`version = s.version + 1`,
    sql`updated_at = ${author.at}::timestamptz`,
    sql`is_deleted = true, claimable = false, claiming_code = null, is_connected = false, location_id = null`,
  ];
  return run(tx, author, ids, {
    action: "delete",
    code: sql`case when ${may} then 0 else 304 end`,
    sets,
    after: sql`null::jsonb`,
  });
}

const ownerColumns = { id: "t.owner_id", path: "t.owner_path" };

type Step = { action: string; code: RawBuilder<unknown>; sets: RawBuilder<unknown>[]; after: RawBuilder<unknown> };

async function run(tx: Tx, author: Author, ids: readonly string[], step: Step): Promise<Judged[]> {
  const { caller, requestId, at } = author;
  const visible = ownerIn(viewSet(caller, "sensor"), caller, { id: "s.owner_id", path: "s.owner_path" });
  const auditIds = ids.map(() => uuidv7(at.getTime()));
  await setCountsItself(tx, true);
  const { rows } = await sql<Judged>`
    with target as materialized (
      select ${looked("s")} from sensor s
      where s.id = any(${[...ids]}::text[]) and not s.is_deleted and ${visible} order by s.id for update
    ), judged as materialized (
      select t.*, ${step.code} as code from target t
    ), written as (
      update sensor s set ${sql.join(step.sets)} from judged j where s.id = j.id and j.code = 0
      returning ${looked("s")}, s.is_deleted
    ), noted as (
      insert into audit (id, at, account_id, request_id, action, object_type, object_id, owner_id, owner_path, before, after)
      select k.audit_id, ${at}::timestamptz, ${caller.id}::uuid, ${requestId}::text, ${step.action}::text, 'sensor', w.id,
        w.owner_id, w.owner_path, ${trail("j")}, ${step.after}
      from written w join judged j on j.id = w.id
      join unnest(${[...ids]}::text[], ${auditIds}::uuid[]) k (id, audit_id) on k.id = w.id
    ), counted as (
      insert into owned_count as c (kind, owner_path, n)
      select k, owner_path, sum(d) from (
        select owner_path, type, -1 as d from judged where code = 0
        union all select owner_path, type, 1 from written where not is_deleted
      ) moved, unnest(array['sensor', 'sensor ' || type]) k
      group by k, owner_path having sum(d) <> 0 order by k, owner_path
      on conflict (kind, owner_path) do update set n = c.n + excluded.n
    )
    select id, num, code, owner_id as owner_before, location_id as location_before, firmware_id as firmware_before
    from judged order by id`.execute(tx);
  await setCountsItself(tx, false);
  return rows;
}

/** What the rules and the audit rows need; whole rows would be copied three times. */
function looked(alias: string): RawBuilder<unknown> {
  const columns = `id num owner_id owner_path type location_id firmware_id groups claimable claiming_code license_monitoring rest_username`;
  return sql.raw(
    columns
      .split(" ")
      .map((column) => `${alias}.${column}`)
      .join(", "),
  );
}

/** Why a sensor `t` may not be changed so, in the order of the single call: edit, what the body points at, special rights. */
function updateCode(caller: Caller, { owner, location, firmware, claimable }: Target): RawBuilder<unknown> {
  const edits = ownerIn(editSet(caller, "sensor"), caller, ownerColumns);
  const cases = [sql`when not ${edits} then 305`];
  const newFirmware = firmware ? sql`t.firmware_id is distinct from ${firmware.id}::uuid` : null;
  if (firmware) cases.push(sql`when ${newFirmware} and t.type <> ${firmware.type} then 102`);
  if (owner) {
    const changes = sql`t.owner_id <> ${owner.id}::uuid`;
    const from = ownerIn(changeOwnerSets(caller, "sensor").from, caller, ownerColumns);
    cases.push(sql`when ${changes} and not (${owner.mayReceive}::boolean and ${from}) then 302`);
    if (!owner.mayAssign) cases.push(sql`when ${changes} then 301`);
  }
  if (location && !location.mayAssign)
    cases.push(sql`when t.location_id is distinct from ${location.id}::uuid then 301`);
  if (firmware && !firmware.mayUse) cases.push(sql`when ${newFirmware} then 309`);
  if (claimable) cases.push(sql`when t.claiming_code is null then 102`);
  return sql`case ${sql.join(cases, sql` `)} else 0 end`;
}

/** `sensorTrail` of sensor.wire.ts in SQL; the firmware as it is about to be, where that changes. */
function trail(alias: "j" | "w", firmware?: { id: string } | null): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  const artifact = firmware === undefined ? column("firmware_id") : sql`${firmware?.id ?? null}::uuid`;
  return sql`jsonb_build_object('owner', ${column("owner_id")}, 'type', ${column("type")}, 'measID', ${column("location_id")},
    'artifact', ${artifact}, 'groups', to_jsonb(${column("groups")}), 'claimable', ${column("claimable")},
    'monitoring', ${column("license_monitoring")}, 'restUsername', ${column("rest_username")})`;
}
