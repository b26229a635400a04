// Builds list queries: conditions, order from an allow-list, one page, and the exact total.
import { type SortKey, sortKeys } from "@psp/contract/kit/page.ts";
import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Reader } from "./database.ts";

export type Condition = Expression<SqlBool>;

export function conjunction(conditions: readonly Condition[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** Matches a case-insensitive substring. LIKE wildcards in `text` are escaped. */
export function containsText(column: string, text: string): Condition {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`;
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern}`;
}

/** Matches a substring of a name, ignoring case, accents and repeated spaces. `table` may be an alias. */
export function containsName(table: string, text: string): Condition {
  return sql<boolean>`${sql.ref(`${table}.name_search`)} like ${containsPattern(text)}`;
}

/** Returns a LIKE pattern for a text normalized by `searched_text`, with `edge` before and after it. */
export function containsPattern(text: string, edge = ""): RawBuilder<string> {
  return sql`'%' || ${edge}::text || regexp_replace(searched_text(${text}), '([\\\\%_])', '\\\\\\1', 'g') || ${edge}::text || '%'`;
}

/** Names with equal sort keys are ordered by their exact text. */
export const nameSortKeys = (table: string) => [sql.ref(`${table}.name_sort`), sql.ref(`${table}.name`)];

/** A single value is compared with `=`, because the planner estimates arrays worse. */
export function oneOf(column: string, values: readonly (string | number)[], type: "text" | "uuid"): Condition {
  const [only] = values;
  if (values.length === 1) return sql<boolean>`${sql.ref(column)} = ${only}`;
  return sql<boolean>`${sql.ref(column)} = any(${values}::${sql.raw(type)}[])`;
}

/** Sort fields allowed on the wire, with their SQL expressions. */
export type SortExpressions = Record<string, readonly Expression<unknown>[]>;

/** The id is the last key, which makes the order total and pages stable. */
export function orderBy(sort: readonly SortKey[], allowed: SortExpressions, id: string): RawBuilder<unknown> {
  const parts = sort.flatMap(({ field, descending }) =>
    (allowed[field] ?? []).map((column) => sql`${column} ${sql.raw(descending ? "desc" : "asc")}`),
  );
  return sql.join([...parts, sql`${sql.ref(id)} asc`], sql`, `);
}

/** A null limit means no limit. */
export type PageSlice = { skip: number; limit: number | null };

export function limitClause({ skip, limit }: PageSlice): RawBuilder<unknown> {
  return limit === null ? sql`offset ${skip}` : sql`limit ${limit} offset ${skip}`;
}

export async function countRows(db: Reader, table: string, conditions: readonly Condition[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ${sql.table(table)} where ${conjunction(conditions)}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** Returns JSON text built by PostgreSQL, because there may be very many ids. */
export async function readIdsAsJson(db: Reader, table: string, conditions: readonly Condition[]): Promise<string> {
  const { rows } = await sql<{ ids: string | null }>`
    select '[' || coalesce(string_agg('"' || id || '"', ','), '') || ']' as ids
    from ${sql.table(table)} where ${conjunction(conditions)}`.execute(db);
  return rows[0]?.ids ?? "[]";
}

type PageRequest = {
  skip?: number | undefined;
  limit?: number | undefined;
  includeTotals?: boolean | undefined;
  sortBy?: string[] | undefined;
  sortDesc?: boolean[] | undefined;
};

/** Returns an array as in version 1 of the API, or a page if the total was requested (docs/rules/api.md#lists). */
export async function readArrayOrPage<T>(
  request: PageRequest,
  limit: number | null,
  read: (sort: SortKey[], part: PageSlice) => Promise<T[]>,
  count: () => Promise<number>,
): Promise<T[] | { objects: T[]; total: number }> {
  const { skip = 0, sortBy, sortDesc } = request;
  const [objects, total] = await Promise.all([
    read(sortKeys({ sortBy, sortDesc }), { skip, limit: request.limit ?? limit }),
    request.includeTotals ? count() : undefined,
  ]);
  return total === undefined ? objects : { objects, total };
}
