// Queries for ended issues and outages. An outage is all that one mail reported about one kind of issue at one location.
import type { IssueType } from "@psp/contract/monitoring/issue-words.ts";
import { sql } from "kysely";
import { toPgColumn } from "../../db/arrays.ts";
import type { Reader, Tx } from "../../db/database.ts";

/** `statusId`: log entry that ended the issue; null if the issue ended for another reason, such as disabled monitoring. */
export type EndedState = { num: number; type: IssueType; statusId: string | null };

/** Marks the alerts of these states as ended; returns the ids of those that were mailed. */
export async function markAlertsEnded(tx: Tx, ended: readonly EndedState[], now: Date): Promise<string[]> {
  if (ended.length === 0) return [];
  const { rows } = await sql<{ id: string; wasMailed: boolean }>`
    update alert a set over_at = ${now}, over_by = u.status
    from unnest(${toPgColumn(ended, (e) => e.num)}::int[], ${ended.map((e) => e.type)}::text[], ${ended.map((e) => e.statusId)}::uuid[])
      u (num, type, status)
    join monitoring_status m on m.sensor_num = u.num and m.issue_type = u.type and m.issue_status <> 'Ok'
      and m.start_ms > coalesce((
        select max(o.start_ms) from monitoring_status o
        where o.sensor_num = u.num and o.issue_type = u.type and o.issue_status = 'Ok' and o.id is distinct from u.status
      ), -1)
    where a.status_id = m.id and a.over_at is null
    returning a.id, a.sent_at is not null as "wasMailed"`.execute(tx);
  return rows.filter(({ wasMailed }) => wasMailed).map(({ id }) => id);
}

/** A possible all-clear: log entry and sensor, and the recipient with the status that was mailed. */
export type AllClear = {
  statusId: string;
  num: number;
  recipient: string;
  status: "Warning" | "Error";
};

/** Finds all-clears for the outages that ended with these alerts, except all-clears that are already queued. */
export async function findAllClears(reader: Reader, alertIds: readonly string[]): Promise<AllClear[]> {
  if (alertIds.length === 0) return [];
  const { rows } = await sql<AllClear>`
    with outage as (
      select distinct a.recipient, a.sent_at, m.issue_type, m.location_id, case when m.location_id is null then m.sensor_num end as num
      from alert a join monitoring_status m on m.id = a.status_id where a.id = any(${[...alertIds]}::bigint[])
    ), mailed as (
      select a.over_by, m.sensor_num, a.recipient, m.issue_status, bool_and(a.over_at is not null) over outage as is_over
      from outage o join alert a on a.recipient = o.recipient and a.sent_at = o.sent_at
      join monitoring_status m on m.id = a.status_id and m.issue_type = o.issue_type
        and m.location_id is not distinct from o.location_id and m.sensor_num = coalesce(o.num, m.sensor_num) and m.issue_status <> 'Ok'
      window outage as (partition by o.recipient, o.sent_at, o.issue_type, o.location_id, o.num)
    )
    select distinct over_by as "statusId", sensor_num as num, recipient, issue_status as status from mailed t
    where is_over and over_by is not null
      and not exists (select from alert c where c.status_id = t.over_by and c.recipient = t.recipient)
    order by over_by, recipient, issue_status`.execute(reader);
  return rows;
}
