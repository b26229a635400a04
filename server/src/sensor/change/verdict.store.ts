// Defines the fields of a sensor change, and the SQL that returns a refusal code per sensor.
import { errorCode } from "@psp/contract/errors.ts";
import { groupLimits } from "@psp/contract/sensor/sensor.ts";
import type { MonitoringConfig } from "@psp/contract/monitoring/monitoring-config.ts";
import { resolveChangeOwnerScopes } from "@psp/contract/permission/can.ts";
import { type RawBuilder, sql } from "kysely";
import { isProtectedFrom } from "../../owned/consent.store.ts";
import type { Caller } from "../../kit/caller.ts";
import { whereEditable, whereOwnerIn } from "../../db/visible.ts";

type GroupsChange = readonly string[] | { add: readonly string[] } | { remove: readonly string[] };

/** Undefined fields stay unchanged. */
export type TargetValues = {
  owner?: { id: string; path: string } | undefined;
  location?: { id: string } | null | undefined;
  /** `mayRetry`: a failed or canceled installation of the same firmware is tried again. */
  firmware?: { id: string; mayRetry: boolean } | null | undefined;
  groups?: GroupsChange | undefined;
  claimable?: boolean | undefined;
  /** Pauses or resumes installations that have not started; comes without other changes. */
  installation?: "waiting" | "paused" | undefined;
  /** Credentials of the sensor's own REST interface; without `sealed` the stored password stays. */
  rest?: { username: string | null; sealed?: Buffer | null } | undefined;
  /** Null inherits the location's configuration. */
  monitoring?: MonitoringConfig | null | undefined;
  /** Marks of a replacement; null removes the mark. */
  replacement?: { replacedBy?: string | null; replaces?: string | null } | undefined;
};

/** Rights that concern the target and are the same for all sensors. */
export type TargetRights = {
  /** `mayHavePlace`: the new owner may view the location given in the same change. */
  owner: { mayReceive: boolean; mayAssign: boolean; mayHavePlace: boolean } | undefined;
  location: { mayAssign: boolean } | undefined;
  firmware: { type: string; mayUse: boolean } | undefined;
};

/** Another change of the sensor was made after the batch was requested. */
export const changedSinceRequestCode = -1;
/** The sensor would exceed the maximum number of groups; shown as 102. */
export const tooManyGroupsCode = -2;
/** The sensor has no waiting or paused installation; shown as 102. */
export const noPendingInstallCode = -3;

export const ownerColumns = { id: "t.owner_id", path: "t.owner_path" };

/** Last branches of a `case` about a sensor `t`: allowed, unless the sensor was changed later. */
export const unlessChangedSince = sql`when t.is_later then ${sql.lit(changedSinceRequestCode)} else 0`;

/** Returns the first matching error code for a sensor `t`, in the order of docs/rules/sensors.md#changes. */
export function createRefusalCodeSql(caller: Caller, to: TargetValues, rights: TargetRights) {
  const { owner, location, firmware, groups, claimable, installation } = to;
  const edits = whereEditable(caller, "sensor", "t");
  const cases = [sql`when not ${edits} then ${errorCode.noEdit}::int`];
  const newFirmware = firmware ? sql`(t.firmware_id is distinct from ${firmware.id}::uuid or t.may_retry)` : null;
  if (owner && location && !rights.owner?.mayHavePlace)
    cases.push(sql`when t.owner_id <> ${owner.id}::uuid then ${errorCode.notFound}::int`);
  if (rights.firmware)
    cases.push(sql`when ${newFirmware} and t.type <> ${rights.firmware.type} then ${errorCode.invalidArgument}::int`);
  if (owner) {
    const changes = sql`t.owner_id <> ${owner.id}::uuid`;
    const from = whereOwnerIn(resolveChangeOwnerScopes(caller, "sensor").from, caller, ownerColumns);
    cases.push(
      sql`when ${changes} and not (${rights.owner?.mayReceive ?? false}::boolean and ${from}) then ${errorCode.noChangeOwner}::int`,
    );
    cases.push(sql`when ${changes} and ${isProtectedFrom(caller, ownerColumns)} then ${errorCode.noChangeOwner}::int`);
    if (!rights.owner?.mayAssign) cases.push(sql`when ${changes} then ${errorCode.noAssignSensor}::int`);
  }
  if (location && !rights.location?.mayAssign) {
    const handed = owner ? sql`t.owner_id <> ${owner.id}::uuid` : sql`false`;
    cases.push(
      sql`when ${handed} or t.location_id is distinct from ${location.id}::uuid then ${errorCode.noAssignSensor}::int`,
    );
  }
  if (rights.firmware && !rights.firmware.mayUse)
    cases.push(sql`when ${newFirmware} then ${errorCode.noUseFirmware}::int`);
  if (claimable) {
    cases.push(
      sql`when not t.claimable and ${isProtectedFrom(caller, ownerColumns)} then ${errorCode.noPermission}::int`,
    );
    cases.push(sql`when t.claiming_code is null then ${errorCode.invalidArgument}::int`);
  }
  if (installation)
    cases.push(sql`when not exists (select from update_task u where u.sensor_num = t.num
      and u.state in ('waiting', 'paused')) then ${sql.lit(noPendingInstallCode)}`);
  if (groups && "add" in groups)
    cases.push(
      sql`when cardinality(${toChangedGroups("t", groups)}) > ${groupLimits.count} then ${sql.lit(tooManyGroupsCode)}`,
    );
  return sql`case ${sql.join(cases, sql` `)} ${unlessChangedSince} end`;
}

/** SQL for the groups after the change; remaining groups keep their order. */
export function toChangedGroups(alias: string, change: GroupsChange): RawBuilder<unknown> {
  const present = sql.ref(`${alias}.groups`);
  if ("add" in change) {
    const added = [...new Set(change.add)];
    return sql`(${present} || array(select g from unnest(${added}::text[]) with ordinality a (g, n) where g <> all(${present}) order by n))`;
  }
  if ("remove" in change)
    return sql`array(select g from unnest(${present}) with ordinality a (g, n) where g <> all(${[...change.remove]}::text[]) order by n)`;
  return sql`${[...new Set(change)]}::text[]`;
}
