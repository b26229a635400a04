// Changes or deletes sensors in one statement: locks them, checks each sensor and field, writes, and adds audit rows.
import { errorCode } from "@psp/contract/errors.ts";
import { failedTaskStatuses } from "@psp/contract/sensor/install-progress.ts";
import { resolveDeleteScope } from "@psp/contract/permission/can.ts";
import { type RawBuilder, sql } from "kysely";
import type { Caller } from "../../kit/caller.ts";
import type { Tx } from "../../db/database.ts";
import { setManualCounts } from "../../db/owned-count.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { whereOwnerIn, whereViewable } from "../../db/visible.ts";
import { toHandOverColumns, clearedVpnState } from "./hand-over.store.ts";
import {
  toChangedGroups,
  ownerColumns,
  type TargetValues,
  type TargetRights,
  unlessChangedSince,
  createRefusalCodeSql,
} from "./verdict.store.ts";
import { toJsonb } from "../../db/storable.ts";

/** The caller, and the change number drawn at the request (ADR 0015). Needed only if rights must still be checked. */
export type RequestRights<Rights> = { caller: Caller; mark: string; rights: Rights };

export type Author = { accountId: string | null; requestId: string; at: Date };

export type ChangeOutcome = {
  id: string;
  num: number;
  /** 0 if written; else an error code of the catalog, or `changedSinceRequestCode` or another code of verdict.store.ts. */
  code: number;
  owner_before: string;
  location_before: string | null;
  location_after: string | null;
  firmware_before: string | null;
  /** The last task ended without installing the firmware, so setting the firmware again retries the installation. */
  may_retry: boolean;
};

/**
 * Changes the sensors, except their firmware; one row per sensor visible to the caller. `codes`: a new claiming code per sensor, for a new
 * owner.
 */
export async function updateSensors(
  tx: Tx,
  author: Author,
  ids: readonly string[],
  asker: RequestRights<TargetRights> | null,
  to: TargetValues,
  { action, codes }: { action: string; codes: readonly string[] },
): Promise<ChangeOutcome[]> {
  const { owner, location, firmware, groups, claimable, rest, monitoring } = to;
  const marks = marksOf(to);
  const sets = [...drawMarks(["changed_mark", ...marks])];
  sets.push(sql`version = s.version + 1`, sql`updated_at = ${author.at}::timestamptz`);
  if (owner) sets.push(sql`owner_id = ${owner.id}::uuid`, sql`owner_path = ${owner.path}::text`);
  if (location !== undefined) sets.push(sql`location_id = ${location?.id ?? null}::uuid`);
  if (groups !== undefined) sets.push(sql`groups = ${toChangedGroups("s", groups)}`);
  if (claimable !== undefined) sets.push(sql`claimable = ${claimable}::boolean`);
  if (rest) sets.push(sql`rest_username = ${rest.username}::text`);
  if (rest?.sealed !== undefined) sets.push(sql`rest_password_sealed = ${rest.sealed}::bytea`);
  if (monitoring !== undefined) sets.push(sql`monitoring_config = ${monitoring && toJsonb(monitoring)}::jsonb`);
  if (to.replacement?.replacedBy !== undefined) sets.push(sql`replaced_by = ${to.replacement.replacedBy}::text`);
  if (to.replacement?.replaces !== undefined) sets.push(sql`replaces = ${to.replacement.replaces}::text`);
  return runChange(tx, author, ids, asker, {
    action,
    keeps: marks,
    retries: firmware?.mayRetry
      ? sql`coalesce(s.update_task ->> 'status' = any(${[...failedTaskStatuses]}::text[]) or s.installation = 'reverted', false)`
      : sql`false`,
    codeFor: ({ caller, rights }) => createRefusalCodeSql(caller, to, rights),
    sets,
    before: to.installation && stateOfWaiting,
    // Audits only that the password changed.
    after: to.installation
      ? sql`${toAuditJson("w")} || jsonb_build_object('installation', ${to.installation}::text)`
      : rest?.sealed
        ? sql`${toAuditJson("w", firmware)} || '{"newRestPassword": true}'::jsonb`
        : to.replacement
          ? sql`${toAuditJson("w", firmware)} || ${toJsonb(to.replacement)}::jsonb`
          : toAuditJson("w", firmware),
    handsTo: owner && { ownerId: owner.id, codes, ...startedOver(author, owner.id, to) },
  });
}

export async function deleteSensors(
  tx: Tx,
  author: Author,
  ids: readonly string[],
  asker: RequestRights<null> | null,
  reason: string | null,
): Promise<ChangeOutcome[]> {
  const sets = [
    sql`version = s.version + 1`,
    sql`updated_at = ${author.at}::timestamptz`,
    sql`is_deleted = true, claimable = false, claiming_code = null, is_connected = false, location_id = null`,
    sql`vpn = s.vpn || ${clearedVpnState}`,
    ...drawMarks(["changed_mark", "claimable_mark", "location_mark"]),
  ];
  return runChange(tx, author, ids, asker, {
    action: "delete",
    keeps: ["changed_mark"],
    retries: sql`false`,
    codeFor: ({ caller }) =>
      sql`case when not ${whereOwnerIn(resolveDeleteScope(caller, "sensor"), caller, ownerColumns)} then ${errorCode.noDelete}::int ${unlessChangedSince} end`,
    sets,
    after: reason === null ? sql`null::jsonb` : sql`jsonb_build_object('reason', ${reason}::text)`,
  });
}

/** Columns and marks that a change of owner resets, except those changed explicitly. */
function startedOver(author: Author, ownerId: string, { location, claimable, rest, monitoring }: TargetValues) {
  const claimed = toHandOverColumns("s", { ownerId, at: author.at, freshCode: sql`j.fresh_code` });
  const columns: Record<string, RawBuilder<unknown>> = { ...claimed };
  const marks: Mark[] = [];
  if (location !== undefined) delete columns["location_id"];
  else marks.push("location_mark");
  if (claimable !== undefined) delete columns["claimable"];
  else marks.push("claimable_mark");
  if (monitoring !== undefined) delete columns["monitoring_config"];
  if (rest) delete columns["rest_username"];
  if (rest?.sealed !== undefined) delete columns["rest_password_sealed"];
  return {
    marks,
    sets: [...Object.entries(columns).map(([name, value]) => sql`${sql.ref(name)} = ${value}`), ...drawMarks(marks)],
  };
}

/** Fields that a batch can change; each has a mark with the number of its last change. */
const markedFields = ["owner", "location", "firmware", "groups", "claimable"] as const;
type Mark = `${(typeof markedFields)[number] | "changed"}_mark`;

function marksOf(to: TargetValues): Mark[] {
  const named = markedFields.filter((field) => to[field] !== undefined).map((field): Mark => `${field}_mark`);
  // Pausing concerns the firmware at the time of the request, so a later change of firmware wins.
  return to.installation === undefined ? named : [...named, "firmware_mark"];
}

const stateOfWaiting = sql`jsonb_build_object('installation', (select u.state from update_task u
  where u.sensor_num = j.num and u.state in ('waiting', 'paused')))`;

/** Sets the marks to new numbers while the rows are locked, so that the triggers need not run. */
function drawMarks(marks: readonly Mark[]): RawBuilder<unknown>[] {
  return marks.map((mark) => sql`${sql.ref(mark)} = nextval('change_order')`);
}

type Step<Rights> = {
  action: string;
  /** Sensors stay as they are if one of these marks is later than the request. */
  keeps: readonly Mark[];
  /** SQL condition: setting the current firmware of a sensor `s` again retries its installation. */
  retries: RawBuilder<unknown>;
  codeFor: (asker: RequestRights<Rights>) => RawBuilder<unknown>;
  sets: RawBuilder<unknown>[];
  /** Additional state of a sensor `j` for the audit row. */
  before?: RawBuilder<unknown> | undefined;
  after: RawBuilder<unknown>;
  /** For sensors that change owner: the columns to reset and additional marks to check. */
  handsTo?:
    | { ownerId: string; codes: readonly string[]; sets: RawBuilder<unknown>[]; marks: readonly Mark[] }
    | undefined;
};

/** Whether a sensor `s` was changed in a relevant field after the request. */
function isLater(mark: string, { keeps, handsTo }: Pick<Step<never>, "keeps" | "handsTo">): RawBuilder<unknown> {
  const anyOf = (marks: readonly Mark[]) =>
    sql`(${sql.join([sql`false`, ...marks.map((name) => sql`coalesce(${sql.ref(`s.${name}`)} > ${mark}::bigint, false)`)], sql` or `)})`;
  if (!handsTo) return anyOf(keeps);
  return sql`(${anyOf(keeps)} or (s.owner_id <> ${handsTo.ownerId}::uuid and ${anyOf(handsTo.marks)}))`;
}

async function runChange<Rights>(
  tx: Tx,
  { accountId, requestId, at }: Author,
  ids: readonly string[],
  asker: RequestRights<Rights> | null,
  step: Step<Rights>,
): Promise<ChangeOutcome[]> {
  const visible = asker ? whereViewable(asker.caller, "sensor", "s") : sql`true`;
  const later = asker ? isLater(asker.mark, step) : sql`false`;
  const code = asker ? step.codeFor(asker) : sql`0`;
  const { handsTo } = step;
  const isHandedOver = handsTo ? sql`j.owner_id <> ${handsTo.ownerId}::uuid` : sql`false`;
  const was = step.before ? sql`${toAuditJson("j")} || ${step.before}` : toAuditJson("j");
  const auditIds = ids.map(() => uuidv7(at.getTime()));
  const releaseIds = handsTo ? ids.map(() => uuidv7(at.getTime())) : [];
  await setManualCounts(tx, true);
  const { rows } = await sql<ChangeOutcome>`
    with target as materialized (
      select ${examined("s")}, ${later} as is_later, ${step.retries} as may_retry from sensor s
      where s.id = any(${[...ids]}::text[]) and not s.is_deleted and ${visible} order by s.id for update
    ), judged as materialized (
      select t.*, ${code} as code, k.fresh_code
      from target t left join unnest(${[...ids]}::text[], ${[...(handsTo?.codes ?? [])]}::text[]) k (id, fresh_code) on k.id = t.id
    ), kept as (
      update sensor s set ${sql.join(step.sets)} from judged j where s.id = j.id and j.code = 0 and not ${isHandedOver}
      returning ${examined("s")}, s.is_deleted
    ), handed as (
      update sensor s set ${sql.join([...step.sets, ...(handsTo?.sets ?? [])])} from judged j
      where s.id = j.id and j.code = 0 and ${isHandedOver}
      returning ${examined("s")}, s.is_deleted
    ), written as (
      select * from kept union all select * from handed
    ), noted as (
      insert into audit (id, at, account_id, request_id, action, object_type, object_id, owner_id, owner_path, before, after)
      select k.audit_id, ${at}::timestamptz, ${accountId}::uuid, ${requestId}::text, ${step.action}::text, 'sensor', w.id,
        w.owner_id, w.owner_path, case when ${isHandedOver} then ${toAuditJson("j")} || ${withoutFormer} else ${was} end, ${step.after}
      from written w join judged j on j.id = w.id
      join unnest(${[...ids]}::text[], ${auditIds}::uuid[]) k (id, audit_id) on k.id = w.id
    ), released as (
      insert into audit (id, at, account_id, request_id, action, object_type, object_id, owner_id, owner_path, before)
      select k.audit_id, ${at}::timestamptz, ${accountId}::uuid, ${requestId}::text, 'release', 'sensor', j.id,
        j.owner_id, j.owner_path, ${toAuditJson("j")}
      from judged j join unnest(${[...ids]}::text[], ${releaseIds}::uuid[]) k (id, audit_id) on k.id = j.id
      where j.code = 0 and ${isHandedOver}
    ), counted as (
      insert into owned_count as c (kind, owner_path, n)
      select k, owner_path, sum(d) from (
        select owner_path, type, -1 as d from judged where code = 0
        union all select owner_path, type, 1 from written where not is_deleted
      ) moved, unnest(array['sensor', 'sensor ' || type]) k
      group by k, owner_path having sum(d) <> 0 order by k, owner_path
      on conflict (kind, owner_path) do update set n = c.n + excluded.n
    )
    select j.id, j.num, j.code, j.owner_id as owner_before, j.location_id as location_before,
      w.location_id as location_after, j.firmware_id as firmware_before, j.may_retry
    from judged j left join written w on w.id = j.id order by j.id`.execute(tx);
  await setManualCounts(tx, false);
  return rows;
}

/** Blanks the former owner's values, which must not appear in the new owner's audit row. */
const withoutFormer = sql`jsonb_build_object('restUsername', null, 'monitoringConfig', null,
  'measID', case when w.location_id is not distinct from j.location_id then j.location_id end)`;

/** The columns needed for the checks and the audit rows; whole rows would be copied three times. */
function examined(alias: string): RawBuilder<unknown> {
  const columns = `id num owner_id owner_path type location_id firmware_id groups claimable claiming_code license_monitoring rest_username monitoring_config`;
  return sql.raw(
    columns
      .split(" ")
      .map((column) => `${alias}.${column}`)
      .join(", "),
  );
}

/** SQL counterpart of `sensorTrail` in sensor.wire.ts. `firmware` replaces the stored firmware if it changes. */
function toAuditJson(alias: "j" | "w", firmware?: { id: string } | null): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  const artifact = firmware === undefined ? column("firmware_id") : sql`${firmware?.id ?? null}::uuid`;
  return sql`jsonb_build_object('owner', ${column("owner_id")}, 'type', ${column("type")}, 'measID', ${column("location_id")},
    'artifact', ${artifact}, 'groups', to_jsonb(${column("groups")}), 'claimable', ${column("claimable")},
    'monitoring', ${column("license_monitoring")}, 'restUsername', ${column("rest_username")},
    'monitoringConfig', ${column("monitoring_config")})`;
}
