// Queries for the statistics: sums of counts about sensors per owner, which triggers and a job maintain (ADR 0014).
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import { sql } from "kysely";
import type { Database, Reader } from "../db/database.ts";
import { createOwnerFilter } from "../db/owned-count.ts";
import { whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

const hourMs = 3_600_000;
const changesAtOnce = 20_000;

/** `stat` and `value` as in migration 0061, except for silent sensors: the value is the number of the cutoff, from 0. */
export type StatCount = { stat: string; value: string; n: number };

/**
 * Counts visible sensors by each stat, and those that have been silent since before each cutoff or exactly since then. Exact at any time:
 * sums, changes that are not in them yet, and sensors that became silent in the same hour as a cutoff, but not after it.
 */
export async function countByStat(db: Reader, caller: Caller, cutoffs: readonly Date[]): Promise<StatCount[]> {
  const { join, where } = createOwnerFilter(caller, resolveViewScope(caller, "sensor"));
  const limits = cutoffs.map(
    (at, index) => sql`(${index}::int, ${Math.floor(at.getTime() / hourMs)}::bigint, ${at}::timestamptz)`,
  );
  const { rows } = await sql<StatCount>`
    with cutoff (number, hour, at) as (values ${sql.join(limits)}),
    -- Materialized, so that it is read once for all cutoffs.
    counted as materialized (select stat, value, sum(n) as n from (
      select c.stat, c.value, c.n from sensor_stat c ${join} where ${where}
      union all select c.stat, c.value, c.n from sensor_stat_change c ${join} where ${where}) s group by stat, value)
    select stat, value, n::float8 from counted where stat <> 'silent'
    union all
    select 'silent', number::text, (select coalesce(sum(n), 0) from counted
      where case when stat = 'silent' then value::bigint end < cutoff.hour)::float8 + (
      select count(*) from sensor where silent_since >= to_timestamp(cutoff.hour * 3600) and silent_since <= cutoff.at
        and not is_deleted and ${whereViewable(caller, "sensor", "sensor")}) from cutoff`.execute(db);
  return rows;
}

/** Adds changes to the sums. Returns whether there may be more. */
export async function sumUpChanges(db: Database): Promise<boolean> {
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      delete from sensor_stat_change where ctid = any(array(select ctid from sensor_stat_change limit ${changesAtOnce}))
      returning stat, owner_path, value, n
    ),
    summed as (insert into sensor_stat as f (stat, owner_path, value, n)
      select stat, owner_path, value, sum(n) from taken group by stat, owner_path, value order by owner_path, stat, value
      on conflict (owner_path, stat, value) do update set n = f.n + excluded.n)
    select count(*) as taken from taken`.execute(db);
  return rows[0]?.taken === changesAtOnce;
}

/** Devices choose their versions freely, so sums of 0 are not kept. */
export async function deleteEmptySums(db: Database): Promise<void> {
  await sql`delete from sensor_stat where n = 0`.execute(db);
}
