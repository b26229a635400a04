// Loads the owners, locations, firmware and open issues related to sensors, and decides which of them a viewer may see.
import { canEdit, canView, canViewFirmware, type Actor } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { OpenIssue } from "@psp/contract/sensor/sensor.ts";
import { prepare, type Reader, runPrepared } from "../db/database.ts";
import type { SensorRow } from "./sensor.store.ts";

/** Columns that the kind does not have are null. */
type Related = {
  kind: "owner" | "location" | "firmware";
  id: string;
  name: string;
  is_deleted: boolean;
  detail: string | null;
  owner_id: string;
  children_can_view: boolean | null;
  last_seen_at: Date | null;
  ancestor_ids: string[] | null;
  role_id: string | null;
};

type OpenIssueRow = {
  num: number;
  type: OpenIssue["issueType"];
  status: OpenIssue["issueStatus"];
  isAcknowledged: boolean;
  placeOwner: string | null;
  isOfOwner: boolean;
};

type OtherSensor = { id: string; owner_id: string; is_deleted: boolean };

/**
 * Owners, locations and firmware of some sensors by id, including deleted ones. Open issues by sensor number, errors
 * first.
 */
export type References = {
  issues: ReadonlyMap<number, readonly OpenIssueRow[]>;
  owners: ReadonlyMap<string, Related & Owner>;
  locations: ReadonlyMap<string, Related>;
  firmware: ReadonlyMap<string, Related>;
  /** Sensors that replaced one of these, or were replaced by one. */
  others: ReadonlyMap<string, OtherSensor>;
};

// Includes the owners of locations and firmware, because rights depend on them.
const referencesById = prepare<Related>(
  "sensor_references",
  `with location_at as (select id, name, is_deleted, timezone, owner_id from location where id = any($2::uuid[])),
    firmware_at as (select id, name, is_deleted, type, owner_id, children_can_view from firmware where id = any($3::uuid[]))
  select 'location' as kind, id, name, is_deleted, timezone as detail, owner_id, null::boolean as children_can_view,
    null::timestamptz as last_seen_at, null::uuid[] as ancestor_ids, null::uuid as role_id from location_at
  union all
  select 'firmware', id, name, is_deleted, type, owner_id, children_can_view, null, null, null from firmware_at
  union all
  select 'owner', id, name, is_deleted, null, id, null, last_seen_at, ancestor_ids, role_id from account
  where id = any($1::uuid[] || array(select owner_id from location_at) || array(select owner_id from firmware_at))`,
);

const issuesByNum = prepare<OpenIssueRow>(
  "sensor_open_issues",
  `select i.sensor_num as num, i.issue_type as type, i.issue_status as status, m.acknowledged_at is not null as "isAcknowledged",
    l.owner_id as "placeOwner", to_timestamp(m.start_ms / 1000.0) >= s.visible_from as "isOfOwner"
  from sensor_issue i join monitoring_status m on m.id = i.status_id join sensor s on s.num = i.sensor_num
    left join location l on l.id = m.location_id and not l.is_deleted
  where i.sensor_num = any($1::int[]) order by i.issue_status, i.issue_type`,
);

const othersById = prepare<OtherSensor>(
  "sensor_replacements",
  `select id, owner_id, is_deleted from sensor where id = any($1::text[])`,
);

/** One query for all sensors, and further ones only if some have open issues or took part in a replacement. */
export async function findReferences(db: Reader, rows: readonly SensorRow[]): Promise<References> {
  const owners = new Map<string, Related & Owner>();
  const locations = new Map<string, Related>();
  const firmware = new Map<string, Related>();
  const withIssues = rows.filter((row) => row.issue_status !== null).map((row) => row.num);
  const open = withIssues.length === 0 ? [] : await runPrepared(db, issuesByNum, [withIssues]);
  const issues = Map.groupBy(open, ({ num }) => num);
  const otherIds = distinct(rows.flatMap((row) => [row.replaced_by, row.replaces]));
  const found = otherIds.length === 0 ? [] : await runPrepared(db, othersById, [otherIds]);
  const others = new Map(found.map((one) => [one.id, one]));
  if (rows.length === 0) return { owners, locations, firmware, issues, others };
  const related = await runPrepared(db, referencesById, [
    distinct([
      ...rows.map((row) => row.owner_id),
      ...open.map(({ placeOwner }) => placeOwner),
      ...found.map((other) => other.owner_id),
    ]),
    distinct(rows.map((row) => row.location_id)),
    distinct(rows.flatMap((row) => [row.firmware_id, row.firmware_running_id])),
  ]);
  for (const one of related) {
    if (one.kind === "owner")
      owners.set(one.id, { ...one, parentAccounts: one.ancestor_ids ?? [], roleId: one.role_id });
    else (one.kind === "location" ? locations : firmware).set(one.id, one);
  }
  return { owners, locations, firmware, issues, others };
}

function distinct(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}

export type Projection = {
  edit: boolean;
  location: boolean;
  firmware: boolean;
  running: boolean;
  replacedBy: boolean;
  replaces: boolean;
  issues: OpenIssue[];
};

export function createProjection(actor: Actor, row: SensorRow, related: References): Projection {
  const owner = related.owners.get(row.owner_id);
  const place = related.owners.get(related.locations.get(row.location_id ?? "")?.owner_id ?? "");
  return {
    edit: owner !== undefined && canEdit(actor, "sensor", owner),
    location: place !== undefined && canView(actor, "measurement", place),
    firmware: seesFirmware(actor, row.firmware_id, related),
    running: seesFirmware(actor, row.firmware_running_id, related),
    replacedBy: seesOther(actor, row.replaced_by, related),
    replaces: seesOther(actor, row.replaces, related),
    issues: readableIssuesOf(actor, row, related),
  };
}

/** Applies the rule of `readableIssues` to a sensor that the viewer sees. */
function readableIssuesOf(actor: Actor, { num }: SensorRow, { owners, issues }: References): OpenIssue[] {
  const reads = ({ isOfOwner, placeOwner }: OpenIssueRow) => {
    const owner = owners.get(placeOwner ?? "");
    return isOfOwner || (owner !== undefined && canView(actor, "measurement", owner));
  };
  return (issues.get(num) ?? [])
    .filter(reads)
    .map(({ type, status, isAcknowledged }) => ({ issueType: type, issueStatus: status, isAcknowledged }));
}

function seesOther(actor: Actor, id: string | null, { others, owners }: References): boolean {
  const owner = owners.get(others.get(id ?? "")?.owner_id ?? "");
  return owner !== undefined && canView(actor, "sensor", owner);
}

function seesFirmware(actor: Actor, id: string | null, { firmware, owners }: References): boolean {
  const one = firmware.get(id ?? "");
  const owner = owners.get(one?.owner_id ?? "");
  if (!one || !owner) return false;
  return canViewFirmware(actor, { owner, objPerm: { childrenCanViewObject: one.children_can_view ?? false } });
}
