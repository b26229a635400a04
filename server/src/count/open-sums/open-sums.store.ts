// Recomputes stored sums within opening hours after the hours of locations have changed.
import { sql } from "kysely";
import type { Reader, Tx } from "../../db/database.ts";
import { holidayDataVersion } from "../../opening/holidays.adapter.ts";
import { rebuildDaySums } from "../rollup.store.ts";

export async function findOutdatedLocations(reader: Reader, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select location_id as id from open_sum_work limit ${limit}`.execute(
    reader,
  );
  return rows.map(({ id }) => id);
}

/**
 * Recomputes all daily sums of the location's sensors. Skips a location that another transaction is changing. Locks in the same order
 * as changes of locations, to avoid deadlocks.
 */
export async function rebuildOpenSums(tx: Tx, locationId: string): Promise<void> {
  const locked = await sql`select from location where id = ${locationId} for no key update skip locked`.execute(tx);
  if (locked.rows.length === 0 && (await locationExists(tx, locationId))) return;
  // Waits for a concurrent change of the account's hours to commit. Later changes wait for this transaction.
  await sql`delete from open_sum_work where location_id = ${locationId}`.execute(tx);
  await rebuildDaySums(tx, { locationId });
  await sql`update location l set open_sums_key = coalesce(l.hours_key, a.hours_key) from account a
    where l.id = ${locationId} and a.id = l.owner_id`.execute(tx);
}

async function locationExists(reader: Reader, id: string): Promise<boolean> {
  const { rows } = await sql`select from location where id = ${id}`.execute(reader);
  return rows.length > 0;
}

/** Marks all locations that close on holidays as outdated after an update of the holiday calendars. */
export async function checkHolidayData(tx: Tx): Promise<void> {
  const { rows } = await sql<{ version: string }>`select version from holiday_data for update`.execute(tx);
  if (rows[0]?.version === holidayDataVersion) return;
  await sql`insert into open_sum_work
    select l.id from location l join account a on a.id = l.owner_id
    where coalesce(l.opening_hours, a.opening_hours) @> '{"holidays": {"closed": true}}'
    order by l.id on conflict (location_id) do update set location_id = excluded.location_id`.execute(tx);
  await sql`delete from holiday_data`.execute(tx);
  await sql`insert into holiday_data (version) values (${holidayDataVersion}) on conflict do nothing`.execute(tx);
}
