// Queries for desired states: their inputs, and the state that was sent last.
import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { installationNumber } from "../../db/postgres/installation.ts";
import { toJsonb } from "../../db/storable.ts";

export type DesiredRow = {
  num: number;
  id: string;
  desired_rev: number;
  desired: Record<string, unknown> | null;
  live_flow: boolean;
};

/**
 * Locks the devices of undeleted sensors, in the order of their numbers. After a restore, revisions are at least the number of the
 * installation, because devices ignore lower ones than they had before.
 */
export async function lockDesiredStates(tx: Tx, sensorIds: readonly string[]): Promise<DesiredRow[]> {
  const { rows } = await sql<DesiredRow>`
    select s.num, s.id, greatest(d.desired_rev, ${installationNumber}) as desired_rev, d.desired,
      coalesce((
        select bool_or(a ->> 'type' in ('ps-occupancy-app', 'occupancy_meas') and a ->> 'enabled' = 'true')
        from jsonb_array_elements(case jsonb_typeof(l.applications) when 'array' then l.applications else '[]' end) a
      ), false) as live_flow
    from sensor s join device d on d.sensor_num = s.num left join location l on l.id = s.location_id
    where s.id = any(${[...sensorIds]}::text[]) and not s.is_deleted
    order by s.num for update of d`.execute(tx);
  return rows;
}

export async function saveDesiredStates(
  tx: Tx,
  changed: readonly { num: number; rev: number; content: unknown }[],
): Promise<void> {
  if (changed.length === 0) return;
  await sql`
    update device d set desired_rev = u.rev, desired = u.content
    from unnest(
      ${changed.map((one) => one.num)}::int[], ${changed.map((one) => one.rev)}::int[],
      ${changed.map((one) => toJsonb(one.content))}::jsonb[]
    ) as u (num, rev, content) where d.sensor_num = u.num`.execute(tx);
}
