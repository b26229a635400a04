// Schedules monitoring checks of device issues (clock, data, identity), which need no license.
import { sql } from "kysely";
import { toPgColumn } from "../db/arrays.ts";
import type { Tx } from "../db/database.ts";

/** Schedules a check unless an earlier one is already scheduled. */
export function requestDeviceChecks(tx: Tx, sensorNums: Iterable<number>, at: Date): Promise<void> {
  return scheduleDeviceChecks(
    tx,
    [...new Set(sensorNums)].map((num) => ({ num, atMs: at.getTime() })),
  );
}

/** Locks rows in the order of their numbers, so that two writers never deadlock. */
export async function scheduleDeviceChecks(tx: Tx, checks: readonly { num: number; atMs: number }[]): Promise<void> {
  if (checks.length === 0) return;
  await sql`
    insert into device_check as c (sensor_num, check_at)
    select num, to_timestamp(at / 1000.0) from unnest(${toPgColumn(checks, (c) => c.num)}::int[], ${toPgColumn(checks, (c) => c.atMs)}::float8[]) u (num, at)
    order by num
    on conflict (sensor_num) do update set check_at = excluded.check_at where c.check_at > excluded.check_at`.execute(
    tx,
  );
}
