// Queries for files of counts over many locations.
import { sql } from "kysely";
import type { Reader } from "../db/database.ts";
import { type Condition, conjunction, nameSortKeys } from "../db/list.ts";
import { whereEditable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";
import { hoursColumns, type HoursKeys } from "../db/applied-hours.ts";

export async function countByZone(
  db: Reader,
  conditions: Condition[],
): Promise<{ timezone: string | null; n: number }[]> {
  const { rows } = await sql<{ timezone: string | null; n: number }>`
    select location.timezone, count(*) as n from location where ${conjunction(conditions)}
    group by 1 order by 1`.execute(db);
  return rows;
}

export async function findIdsByName(db: Reader, conditions: Condition[], limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select location.id from location where ${conjunction(conditions)}
    order by ${sql.join(nameSortKeys("location"))}, location.id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

export type DescribedLocation = HoursKeys & {
  id: string;
  name: string;
  tags: string[];
  owner: string;
  country: string | null;
  timezone: string | null;
};

/** In the order of the ids. */
export async function describe(
  db: Reader,
  conditions: Condition[],
  ids: readonly string[],
): Promise<DescribedLocation[]> {
  const { rows } = await sql<DescribedLocation>`
    select location.id, location.name, location.tags, owner.name as owner, location.country, location.timezone,
      ${hoursColumns("location", "owner")}
    from unnest(${[...ids]}::uuid[]) with ordinality w (id, place) join location on location.id = w.id
    join account owner on owner.id = location.owner_id
    where ${conjunction(conditions)} order by w.place`.execute(db);
  return rows;
}

export const countEditableAmong = (db: Reader, caller: Caller, ids: readonly string[]): Promise<number> =>
  countAmong(db, [whereEditable(caller, "measurement", "location")], ids);

export async function countAmong(db: Reader, conditions: Condition[], ids: readonly string[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from location where location.id = any(${[...ids]}::uuid[]) and ${conjunction(conditions)}`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}
