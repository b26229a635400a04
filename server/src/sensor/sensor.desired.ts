// What a device should be: computed from the sensor, numbered when it changes, published retained (device-protocol 4.9).
import { type Desired, desiredSchema } from "@psp/contract/sensor/sensor.device.ts";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";

type Row = {
  num: number;
  id: string;
  desired_rev: number;
  desired: Record<string, unknown> | null;
  live_flow: boolean;
  vpn: { connect?: boolean } | null;
};

/** The desired state of these sensors with its number; the number rises only when the content differs from the last. */
export async function desiredOf(ctx: Context, sensorIds: readonly string[]): Promise<Map<string, Desired>> {
  return ctx.db.transaction().execute(async (tx) => {
    const rows = await lockRows(tx, sensorIds);
    const result = new Map<string, Desired>();
    const changed: { num: number; rev: number; content: string }[] = [];
    for (const row of rows) {
      const content = contentOf(row);
      const isSame = row.desired !== null && stable(row.desired) === stable(content);
      const rev = isSame ? row.desired_rev : row.desired_rev + 1;
      if (!isSame) changed.push({ num: row.num, rev, content: JSON.stringify(content) });
      result.set(row.id, desiredSchema.parse({ ...content, rev }));
    }
    if (changed.length > 0) {
      await sql`
        update device d set desired_rev = u.rev, desired = u.content
        from unnest(
          ${changed.map((one) => one.num)}::int[], ${changed.map((one) => one.rev)}::int[], ${changed.map((one) => one.content)}::jsonb[]
        ) as u (num, rev, content) where d.sensor_num = u.num`.execute(tx);
    }
    return result;
  });
}

async function lockRows(tx: Tx, sensorIds: readonly string[]): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select s.num, s.id, d.desired_rev, d.desired, s.vpn,
      coalesce((
        select bool_or(a ->> 'type' in ('ps-occupancy-app', 'occupancy_meas') and a ->> 'enabled' = 'true')
        from jsonb_array_elements(case jsonb_typeof(l.applications) when 'array' then l.applications else '[]' end) a
      ), false) as live_flow
    from sensor s join device d on d.sensor_num = s.num left join location l on l.id = s.location_id
    where s.id = any(${[...sensorIds]}::text[]) and not s.is_deleted
    order by s.num for update of d`.execute(tx);
  return rows;
}

function contentOf(row: Row): Omit<Desired, "rev"> {
  return {
    cfg: { countIntervalS: 300, health: true, liveFlow: row.live_flow },
    ...(row.vpn?.connect === true ? { vpn: { connect: true } } : {}),
    fw: null,
  };
}

/** The database returns keys in its own order. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    item !== null && typeof item === "object" && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
