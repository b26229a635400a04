// How every list is cut from its table: conditions, order from an allow-list, one page, the exact total. No noun in here.
import { type SortKey, sortKeys } from "@psp/contract/kit/page.ts";
import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Reader } from "./database.ts";

export type Condition = Expression<SqlBool>;

/** All conditions at once; none is `true`. */
export function conjunction(conditions: readonly Condition[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** A case-insensitive substring of a column; what LIKE would read as a wildcard stands for itself. */
export function containsText(column: string, text: string): Condition {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`;
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern}`;
}

/** A substring of a name, without case, accents and doubled blanks; `table` is its name or alias. */
export function containsName(table: string, text: string): Condition {
  return sql<boolean>`${sql.ref(`${table}.name_search`)} like ${containsPattern(text)}`;
}

/** The pattern of a substring of a text that `searched_text` made, with `edge` on both sides of it. */
export function containsPattern(text: string, edge = ""): RawBuilder<string> {
  return sql`'%' || ${edge}::text || regexp_replace(searched_text(${text}), '([\\\\%_])', '\\\\\\1', 'g') || ${edge}::text || '%'`;
}

/** What sorts by a name; the exact name decides among equals. */
export const byName = (table: string) => [sql.ref(`${table}.name_sort`), sql.ref(`${table}.name`)];

/** A column holds one of these values. A single value is compared plainly: for an array the planner guesses worse. */
export function oneOf(column: string, values: readonly (string | number)[], type: "text" | "uuid"): Condition {
  const [only] = values;
  if (values.length === 1) return sql<boolean>`${sql.ref(column)} = ${only}`;
  return sql<boolean>`${sql.ref(column)} = any(${values}::${sql.raw(type)}[])`;
}

/** What a list may be sorted by: the field on the wire and the expressions that stand for it. */
export type Sortable = Record<string, readonly Expression<unknown>[]>;

/** `order by` over allowed fields only; the id at the end makes pages stable. */
export function orderBy(sort: readonly SortKey[], allowed: Sortable, id: string): RawBuilder<unknown> {
  const parts = sort.flatMap(({ field, descending }) =>
    (allowed[field] ?? []).map((column) => sql`${column} ${sql.raw(descending ? "desc" : "asc")}`),
  );
  return sql.join([...parts, sql`${sql.ref(id)} asc`], sql`, `);
}

/** Which part of the list; a limit of null is all the rest. */
export type Cut = { skip: number; limit: number | null };

export function cut({ skip, limit }: Cut): RawBuilder<unknown> {
  return limit === null ? sql`offset ${skip}` : sql`limit ${limit} offset ${skip}`;
}

/** The exact number of rows of one table that meet all conditions. */
export async function countRows(db: Reader, table: string, conditions: readonly Condition[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ${sql.table(table)} where ${conjunction(conditions)}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** All ids as one JSON text made by PostgreSQL: many of them never become objects here. */
export async function idsJson(db: Reader, table: string, conditions: readonly Condition[]): Promise<string> {
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

/**
 * The requested part of a list: an array, as lists of version 1 are, or a page when the total was requested (docs/rules/api.md#lists).
 * `limit` holds where the query names none.
 */
export async function arrayOrPage<T>(
  request: PageRequest,
  limit: number | null,
  read: (sort: SortKey[], part: Cut) => Promise<T[]>,
  count: () => Promise<number>,
): Promise<T[] | { objects: T[]; total: number }> {
  const { skip = 0, sortBy, sortDesc } = request;
  const [objects, total] = await Promise.all([
    read(sortKeys({ sortBy, sortDesc }), { skip, limit: request.limit ?? limit }),
    request.includeTotals ? count() : undefined,
  ]);
  return total === undefined ? objects : { objects, total };
}
