// Asks monitoring to judge the issues of devices themselves (clock, data, identity), which need no license. SQL only.
import { sql } from "kysely";
import { numbers } from "../db/arrays.ts";
import type { Tx } from "../db/database.ts";

/** Locks rows in the order of their numbers, so that two writers of the same sensors never deadlock. */
export async function requestDeviceChecks(tx: Tx, sensorNums: readonly number[], at: Date): Promise<void> {
  if (sensorNums.length === 0) return;
  await sql`
    insert into device_check as c (sensor_num, check_at)
    select num, ${at} from unnest(${numbers(new Set(sensorNums))}::int[]) u (num) order by num
    on conflict (sensor_num) do update set check_at = excluded.check_at where c.check_at > excluded.check_at`.execute(
    tx,
  );
}
