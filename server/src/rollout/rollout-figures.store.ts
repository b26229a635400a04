// Queries for the progress of one firmware.
import type { InstallationState } from "@psp/contract/sensor/presence.ts";
import { sql } from "kysely";
import type { Reader } from "../db/database.ts";
import { whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

type Figure = {
  /**
   * `running`: sensors that run the version; `state`: sensors by state, null if they already ran the version when it
   * was assigned; `reason`: reasons of failures.
   */
  kind: "running" | "state" | "reason";
  state: InstallationState | null;
  connected: boolean | null;
  reason: string | null;
  n: number;
};

/** Counts visible sensors: those that run the version, by state, and by the most frequent reasons of failures. */
export async function countRollout(db: Reader, caller: Caller, id: string, maxReasons: number): Promise<Figure[]> {
  const visible = whereViewable(caller, "sensor", "sensor");
  const { rows } = await sql<Figure>`
    select 'running' as kind, null as state, null::boolean as connected, null as reason, count(*) as n
      from sensor where firmware_running_id = ${id}::uuid and not is_deleted and ${visible}
    union all select 'state', installation, is_connected, null, count(*)
      from sensor where rollout_id = ${id}::uuid and not is_deleted and ${visible} group by installation, is_connected
    union all (select 'reason', null, null, update_task ->> 'info', count(*)
      from sensor where rollout_id = ${id}::uuid and installation = 'failed' and not is_deleted and ${visible}
      group by update_task ->> 'info' order by 5 desc, 4 nulls last limit ${maxReasons})`.execute(db);
  return rows;
}

type Recent = {
  n: number;
  begun: Date | null;
  ended: Date | null;
};

/** Counts the latest successful installations on visible sensors, at most `max`, with their earliest begin and end. */
export async function findRecentlyDone(db: Reader, caller: Caller, id: string, since: Date, max: number) {
  const { rows } = await sql<Recent>`
    select count(*) as n, min(begun) as begun, min(ended) as ended from (
      select coalesce(t.resumed_at, t.created_at) as begun, t.changed_at as ended
        from update_task t join sensor on sensor.num = t.sensor_num
        where t.firmware_id = ${id}::uuid and t.state = 'done' and t.changed_at > ${since}
          and not sensor.is_deleted and ${whereViewable(caller, "sensor", "sensor")}
        order by t.changed_at desc limit ${max}) recent`.execute(db);
  return rows[0] ?? { n: 0, begun: null, ended: null };
}
