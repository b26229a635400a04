// Queries that divide locations into groups: by tag, by owner, or by country (docs/rules/counts.md#groups).
import type { Grouping } from "@psp/contract/counts/grouping.ts";
import { type RawBuilder, sql } from "kysely";
import type { Reader } from "../../db/database.ts";

/** `members` are positions in the list of ids. The key is null for locations without a tag or country. */
export type LocationGroup = { key: string | null; name: string | null; members: number[] };

/** Tags that differ only in case or accents are one group, and a location is in it once. */
const memberships: Record<Grouping, RawBuilder<unknown>> = {
  tag: sql`select l.place, searched_text(t.tag) as key, min(t.tag) as name
    from l left join lateral unnest(l.tags) as t (tag) on true group by 1, 2`,
  owner: sql`select l.place, l.owner_id::text as key, owner.name from l join account owner on owner.id = l.owner_id`,
  country: sql`select l.place, lower(l.country) as key, l.country as name from l`,
};

const membersOf = (ids: readonly string[], by: Grouping) => sql`
  with l as (
    select w.place, location.* from unnest(${[...ids]}::uuid[]) with ordinality w (id, place) join location on location.id = w.id
  ), m as (${memberships[by]})`;

/** In the order of their names, the one without a name last. */
export async function findGroups(reader: Reader, ids: readonly string[], by: Grouping): Promise<LocationGroup[]> {
  const { rows } = await sql<{ key: string | null; name: string | null; members: string }>`${membersOf(ids, by)}
    select key, min(name) as name, string_agg((place - 1)::text, ',' order by place) as members
    from m group by key order by searched_text(min(name)) nulls last, key`.execute(reader);
  return rows.map(({ members, ...group }) => ({ ...group, members: members.split(",").map(Number) }));
}

/** `memberships`: a location counts once in each of its groups. */
export async function countGroups(reader: Reader, ids: readonly string[], by: Grouping) {
  const { rows } = await sql<{ groups: number; memberships: number }>`${membersOf(ids, by)}
    select count(distinct coalesce('=' || key, '')) as groups, count(*) as memberships from m`.execute(reader);
  return rows[0] ?? { groups: 0, memberships: 0 };
}
