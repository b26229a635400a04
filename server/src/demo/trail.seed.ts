// Seeds the demo's audit log: the server is the creator of every seeded object.
import { sql } from "kysely";
import type { Tx } from "../db/database.ts";

/** Each entry contains the object's type in the audit log, its table, and its audited columns other than the owner. */
const seeded = [
  ["role", "role", sql`jsonb_build_object('name', t.name, 'permissions', t.permissions)`],
  ["sensor", "sensor", sql`jsonb_build_object('type', t.type, 'measID', t.location_id, 'groups', to_jsonb(t.groups))`],
  ["measurement", "location", sql`jsonb_build_object('name', t.name)`],
  ["artifact", "firmware", sql`jsonb_build_object('name', t.name, 'type', t.type)`],
  ["event", "event", sql`jsonb_build_object('name', t.name)`],
  ["init-token", "init_token", sql`jsonb_build_object('name', t.name)`],
] as const;

export async function seedAuditLog(tx: Tx): Promise<void> {
  for (const [type, table, after] of seeded)
    await sql`
      insert into audit (id, at, request_id, action, object_type, object_id, owner_id, owner_path, after)
      select gen_random_uuid(), t.created_at, 'demo', 'create', ${type}, t.id::text, t.owner_id, t.owner_path,
        jsonb_build_object('owner', t.owner_id) || ${after}
      from ${sql.table(table)} t
      where not exists (select 1 from audit a where a.object_type = ${type} and a.object_id = t.id::text and a.action = 'create')`.execute(
      tx,
    );
  await sql`
    insert into audit (id, at, request_id, action, object_type, object_id, owner_id, owner_path, after)
    select gen_random_uuid(), t.created_at, 'demo', 'create', 'account', t.id::text, t.id, t.path,
      jsonb_build_object('name', t.name, 'role', t.role_id, 'parent', t.parent_id)
    from account t where t.parent_id is not null
      and not exists (select 1 from audit a where a.object_type = 'account' and a.object_id = t.id::text
        and a.action in ('create', 'sign-up'))`.execute(tx);
}
