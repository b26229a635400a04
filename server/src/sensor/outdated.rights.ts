// SQL for outdated firmware: versions older than the newest release that the caller may view (docs/rules/customers.md#outdated-firmware).
import { type RawBuilder, sql } from "kysely";
import type { Condition } from "../db/list.ts";
import { whereFirmwareVisible } from "../firmware/firmware.rights.ts";
import type { Caller } from "../kit/caller.ts";

/** Subquery with columns `num`, `type` and `version`. */
export const outdatedVersions = (caller: Caller): RawBuilder<unknown> =>
  versionsOlderThanReleases(whereFirmwareVisible(caller, "f"));

/** `among`: a condition for the releases `f`. */
export function versionsOlderThanReleases(among: Condition): RawBuilder<unknown> {
  // Only the key of a release ends with `~`.
  return sql`select v.num, v.type, v.version from reported_version v join (
      select f.type, max(f.precedence) as newest from firmware f
      where not f.is_deleted and right(f.precedence, 1) = '~' and ${among} group by f.type
    ) n on n.type = v.type where v.precedence < n.newest`;
}

export function isOutdated(caller: Caller, wanted: boolean): Condition {
  const outdated = sql<boolean>`(sensor.type, coalesce(sensor.running_version, '')) in (select type, version from (${outdatedVersions(caller)}) v)`;
  return wanted ? outdated : sql<boolean>`not ${outdated}`;
}
