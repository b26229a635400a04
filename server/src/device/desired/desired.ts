// What a device should be: computed from the sensor, numbered when it changes, published retained (device-protocol 4.9).
import { type Desired, desiredSchema, type FirmwareManifest } from "@psp/contract/sensor/sensor.device.ts";
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { write } from "../../db/write.ts";
import { firmwareWishes, noteWithdrawn } from "../../rollout/wish.service.ts";

type Row = {
  num: number;
  id: string;
  desired_rev: number;
  desired: Record<string, unknown> | null;
  live_flow: boolean;
  vpn: { connect?: boolean } | null;
};

/**
 * The desired state of these sensors with its number; the number rises only when the content differs from the last.
 * Firmware waiting for a connected sensor is offered with it; `base` is where devices fetch it.
 */
export async function desiredOf(
  ctx: Context,
  base: string,
  sensorIds: readonly string[],
): Promise<Map<string, Desired>> {
  return write(ctx, { system: "desired" }, async (w) => {
    const { tx } = w;
    // It holds the sensors first of all: who looks at one at the same time waits, and then sees all that this one did.
    const wishes = await firmwareWishes(ctx, w, base, sensorIds);
    const rows = await lockRows(tx, sensorIds);
    const result = new Map<string, Desired>();
    const changed: { num: number; rev: number; content: string }[] = [];
    const withoutFirmware: { num: number; rev: number }[] = [];
    for (const row of rows) {
      const content = contentOf(row, wishes.get(row.num) ?? null);
      const isSame = row.desired !== null && stable(row.desired) === stable(content);
      const rev = isSame ? row.desired_rev : row.desired_rev + 1;
      if (!isSame) changed.push({ num: row.num, rev, content: JSON.stringify(content) });
      if (content.fw === null) withoutFirmware.push({ num: row.num, rev });
      result.set(row.id, desiredSchema.parse({ ...content, rev }));
    }
    if (changed.length > 0) {
      await sql`
        update device d set desired_rev = u.rev, desired = u.content
        from unnest(
          ${changed.map((one) => one.num)}::int[], ${changed.map((one) => one.rev)}::int[], ${changed.map((one) => one.content)}::jsonb[]
        ) as u (num, rev, content) where d.sensor_num = u.num`.execute(tx);
    }
    await noteWithdrawn(w, withoutFirmware);
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

function contentOf(row: Row, fw: FirmwareManifest | null): Omit<Desired, "rev"> {
  return {
    cfg: { countIntervalS: 300, health: true, liveFlow: row.live_flow },
    ...(row.vpn?.connect === true ? { vpn: { connect: true } } : {}),
    fw,
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
