// Columns for the opening hours that apply to a location: its own, else those of its owner account.
import { sql } from "kysely";

/** Columns for `findLocationHours`: `hoursKey` is null if the location has no hours and inherits none. */
export const hoursColumns = (location: string, owner: string) =>
  sql`coalesce(${sql.ref(`${location}.hours_key`)}, ${sql.ref(`${owner}.hours_key`)}) as "hoursKey",
    case when not exists (select from open_sum_work w where w.location_id = ${sql.ref(`${location}.id`)})
      then ${sql.ref(`${location}.open_sums_key`)} end as "sumsKey"`;
export type HoursKeys = { hoursKey: string | null; sumsKey: string | null };
