// Queries that add changed sensors to the totals per account. Only one transaction at a time writes the totals.
import { semverKey } from "@psp/contract/firmware/semver.ts";
import { semverPattern } from "@psp/contract/firmware/firmware.ts";
import { type RawBuilder, sql } from "kysely";
import { toPgArray, toPgColumn } from "../db/arrays.ts";
import type { Reader, Tx } from "../db/database.ts";
import { versionsOlderThanReleases } from "../sensor/outdated.rights.ts";

const totalsLock = 7_305_148;

/** Locks until the commit. Must be a statement of its own, so that the next one sees what the former holder wrote. */
export async function lockTotals(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${totalsLock})`.execute(tx);
}

/** The limit moves only with a sensor that passes it, or once a minute, so that an idle system writes nothing. */
export async function hasChangedSensors(reader: Reader, cutoff: Date): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`
    select exists (select from sensor_mark) or l.last_contact_at > ${cutoff}
      or l.last_contact_at < ${cutoff}::timestamptz - interval '1 minute'
      or exists (select from sensor where silent_since > l.last_contact_at and silent_since <= ${cutoff}) as changed
    from offline_limit l`.execute(reader);
  return rows[0]?.changed === true;
}

/** Whether the sensor `s`, which must not be deleted, is counted as offline up to `limit`. */
export const isOfflineAt = (limit: RawBuilder<unknown>) =>
  sql<boolean>`(s.never_connected or coalesce(s.silent_since <= ${limit}, false))`;

export type SensorState = {
  num: number;
  ownerPath: string;
  type: string;
  version: string;
  isOffline: boolean;
  hasError: boolean;
  hasWarning: boolean;
  hasFormerIssue: boolean;
};

/** `id` is null for a sensor that is deleted, and `was` for one that is not counted yet. */
export type ExaminedSensor = SensorState & { id: string | null; ownerId: string; was: SensorState | null };

/**
 * Moves the limit of offline sensors to `cutoff`, or less far if more than about `most` sensors pass it. Returns those sensors,
 * and the limits before and after.
 */
export async function moveOfflineLimit(tx: Tx, cutoff: Date, most: number) {
  const { rows } = await sql<{ was: Date | number; next: Date; nums: number[] }>`
    with was as materialized (select last_contact_at as at from offline_limit),
    -- Includes all sensors with the same last contact.
    next as materialized (select case when at > ${cutoff} then ${cutoff} else least(${cutoff}, coalesce((select silent_since
        from sensor where silent_since > at order by silent_since offset ${most} limit 1), ${cutoff})) end as at from was),
    moved as (update offline_limit set last_contact_at = (select at from next))
    select was.at as was, next.at as next, array(select num from sensor
      where silent_since > least(was.at, next.at) and silent_since <= greatest(was.at, next.at)) as nums
    from was, next`.execute(tx);
  const [moved] = rows;
  if (moved === undefined) throw new Error("The limit of offline sensors is missing");
  return moved;
}

/** Takes the oldest marks, and all others of their sensors. */
export async function takeSensorMarks(tx: Tx, most: number): Promise<number[]> {
  const { rows } = await sql<{ num: number }>`
    delete from sensor_mark where sensor_num = any(array(select sensor_num from sensor_mark order by id limit ${most}))
    returning sensor_num as num`.execute(tx);
  return rows.map(({ num }) => num);
}

/** Call it after the marks were taken, so that it sees all marked changes. */
export async function examineSensors(tx: Tx, nums: readonly number[], offlineLimit: Date): Promise<ExaminedSensor[]> {
  const { rows } = await sql<ExaminedSensor>`
    select n.num, s.id, s.owner_id as "ownerId", s.owner_path as "ownerPath", s.type,
      coalesce(s.running_version, '') as version, ${isOfflineAt(sql`${offlineLimit}::timestamptz`)} as "isOffline",
      i.*, case when c.sensor_num is not null then jsonb_build_object('ownerPath', c.owner_path, 'type', c.type,
        'version', c.version, 'isOffline', c.is_offline, 'hasError', c.has_error, 'hasWarning', c.has_warning,
        'hasFormerIssue', c.has_former_issue) end as was
    from unnest(${toPgArray(nums)}::int[]) n (num)
    left join sensor s on s.num = n.num and not s.is_deleted
    left join counted_sensor c on c.sensor_num = n.num
    cross join lateral (
      select coalesce(bool_or(m.is_own and i.issue_status = 'Error'), false) as "hasError",
        coalesce(bool_or(m.is_own and i.issue_status = 'Warning'), false) as "hasWarning",
        coalesce(bool_or(not m.is_own), false) as "hasFormerIssue"
      from sensor_issue i cross join lateral (select to_timestamp(start_ms / 1000.0) >= s.visible_from as is_own
        from monitoring_status where id = i.status_id) m
      where i.sensor_num = n.num
    ) i`.execute(tx);
  return rows;
}

/** Replaces what is counted of these sensors, and corrects the totals by the difference. */
export async function saveStates(tx: Tx, changed: readonly ExaminedSensor[]): Promise<void> {
  const gone = changed.filter(({ id }) => id === null);
  if (gone.length > 0)
    await sql`delete from counted_sensor where sensor_num = any(${toPgColumn(gone, ({ num }) => num)}::int[])`.execute(
      tx,
    );
  const kept = changed.filter(({ id }) => id !== null);
  if (kept.length > 0)
    await sql`insert into counted_sensor (sensor_num, owner_path, type, version, is_offline, has_error, has_warning, has_former_issue)
      select * from unnest(${toPgColumn(kept, ({ num }) => num)}::int[], ${kept.map((one) => one.ownerPath)}::text[],
        ${kept.map((one) => one.type)}::text[], ${kept.map((one) => one.version)}::text[],
        ${toPgColumn(kept, (one) => one.isOffline)}::boolean[], ${toPgColumn(kept, (one) => one.hasError)}::boolean[],
        ${toPgColumn(kept, (one) => one.hasWarning)}::boolean[], ${toPgColumn(kept, (one) => one.hasFormerIssue)}::boolean[])
      on conflict (sensor_num) do update set owner_path = excluded.owner_path, type = excluded.type,
        version = excluded.version, is_offline = excluded.is_offline, has_error = excluded.has_error,
        has_warning = excluded.has_warning, has_former_issue = excluded.has_former_issue`.execute(tx);
}

export type TotalChange = Pick<SensorState, "ownerPath" | "type" | "version"> &
  Record<"sensors" | "offline" | "errors" | "warnings", number>;

const toPrecedence = (version: string) => (semverPattern.test(version) ? semverKey(version) : null);

/** Versions that no sensor had before are listed. */
export async function addToTotals(tx: Tx, changes: readonly TotalChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    with given as materialized (
      select * from unnest(${changes.map((one) => one.ownerPath)}::text[], ${changes.map((one) => one.type)}::text[],
        ${changes.map((one) => one.version)}::text[], ${changes.map((one) => toPrecedence(one.version))}::text[],
        ${toPgColumn(changes, (one) => one.sensors)}::int[], ${toPgColumn(changes, (one) => one.offline)}::int[],
        ${toPgColumn(changes, (one) => one.errors)}::int[], ${toPgColumn(changes, (one) => one.warnings)}::int[])
        n (owner_path, type, version, precedence, sensors, offline, errors, warnings)
    ),
    -- The update returns the numbers of known versions.
    listed as (insert into reported_version (type, version, precedence)
      select distinct type, version, precedence from given where version <> ''
      on conflict (type, version) do update set precedence = excluded.precedence returning num, type, version, is_outdated),
    total as (insert into owner_total as t (owner_path, sensors, offline, errors, warnings, outdated)
      select owner_path, sum(sensors), sum(offline), sum(errors), sum(warnings),
        coalesce(sum(sensors) filter (where is_outdated), 0)
      from given left join listed using (type, version) group by owner_path
      on conflict (owner_path) do update set sensors = t.sensors + excluded.sensors, offline = t.offline + excluded.offline,
        errors = t.errors + excluded.errors, warnings = t.warnings + excluded.warnings,
        outdated = t.outdated + excluded.outdated
      returning num, owner_path)
    insert into owner_version as v (version_num, owner_num, sensors)
      select listed.num, total.num, given.sensors from given join total using (owner_path) join listed using (type, version)
      where given.sensors <> 0
      on conflict (version_num, owner_num) do update set sensors = v.sensors + excluded.sensors`.execute(tx);
}

const shownToAll = sql<boolean>`(f.children_can_view and f.owner_id = (select id from account where parent_id is null))`;

/** Versions that are counted as outdated but no longer are, and the other way round. */
const outdatedChanges = sql`select v.num, o.num is not null as is_outdated
  from reported_version v left join (${versionsOlderThanReleases(shownToAll)}) o on o.num = v.num
  where v.is_outdated <> (o.num is not null)`;

export async function hasOutdatedChanges(reader: Reader): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (${outdatedChanges}) as found`.execute(reader);
  return rows[0]?.found === true;
}

/** Counts versions as outdated that newer releases have made so, and no longer counts those that are not. */
export async function applyOutdatedChanges(tx: Tx): Promise<void> {
  await sql`
    with changed as materialized (${outdatedChanges}),
    flagged as (update reported_version v set is_outdated = changed.is_outdated from changed where v.num = changed.num)
    update owner_total t set outdated = t.outdated + n.sensors from (
      select owner_num, sum(case when is_outdated then sensors else -sensors end) as sensors
      from changed join owner_version on version_num = num group by owner_num
    ) n where t.num = n.owner_num`.execute(tx);
}

/** Deletes what remains when sensors get new versions or owners. Devices choose their versions freely, so unused ones are not kept. */
export async function deleteEmptyTotals(tx: Tx): Promise<void> {
  await sql`delete from owner_version where sensors = 0`.execute(tx);
  await sql`delete from owner_total where sensors = 0 and offline = 0 and errors = 0 and warnings = 0`.execute(tx);
  await sql`delete from reported_version v where not exists (select from owner_version where version_num = v.num)`.execute(
    tx,
  );
}

/** Computes the precedence of versions for which none is stored, although they are SemVer. */
export async function rankVersions(tx: Tx): Promise<void> {
  const { rows } = await sql<{ num: number; version: string }>`
    select num, version from reported_version where precedence is null`.execute(tx);
  const ranked = rows.filter(({ version }) => toPrecedence(version) !== null);
  if (ranked.length === 0) return;
  await sql`update reported_version v set precedence = n.precedence
    from unnest(${toPgColumn(ranked, ({ num }) => num)}::int[], ${ranked.map(({ version }) => toPrecedence(version))}::text[])
      n (num, precedence) where v.num = n.num`.execute(tx);
}
