// SQL conditions for issues that a caller may read, and for open issues. Used by the log, the dashboard and the sensor
// list.
import { sql } from "kysely";
import type { Condition } from "../db/list.ts";
import { whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

/** Tables of open issues: `i` is the issue, `m` its log entry, `s` its sensor, `l` its location. */
export const openIssueTables = sql`sensor_issue i join monitoring_status m on m.id = i.status_id
  join sensor s on s.num = m.sensor_num and not s.is_deleted left join location l on l.id = m.location_id and not l.is_deleted`;

/** For a sensor, issues since it came to its present owner; for a location, all issues that arose there (ADR 0017). */
export function readableIssues(caller: Caller): Condition {
  return sql<boolean>`((${whereViewable(caller, "sensor", "s")} and to_timestamp(m.start_ms / 1000.0) >= s.visible_from)
    or (l.id is not null and ${whereViewable(caller, "measurement", "l")}))`;
}

export const isAcknowledged = (wanted: boolean): Condition =>
  wanted ? sql<boolean>`m.acknowledged_at is not null` : sql<boolean>`m.acknowledged_at is null`;
