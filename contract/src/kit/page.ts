// Query parameters of lists: paging, sorting, totals and filters (docs/rules/api.md#lists).
import { z } from "zod";
import { boundedText } from "./bounded-text.ts";
import { safeText } from "./safe-text.ts";

export const maxLimit = 500;

export const queryFlag = z.enum(["true", "false"]).transform((text) => text === "true");

export function queryInt(min: number, max: number) {
  return boundedText(64)
    .regex(/^-?\d{1,15}$/, "Should be integer")
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: `Should be ${min} to ${max}` });
}

export function queryNumber(min: number, max: number) {
  return boundedText(64)
    .regex(/^\d{1,15}(?:\.\d{1,20})?$/, "Should be a number")
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: `Should be ${min} to ${max}` });
}

/** A parameter that may be repeated. Always parsed to an array. */
export function repeatable<S extends z.ZodType<unknown, string>>(item: S, max = maxLimit) {
  return z.union([z.array(item).max(max), item.transform((one) => [one] as z.output<S>[])]) as unknown as z.ZodType<
    z.output<S>[],
    string | string[]
  >;
}

/** Finds substrings, ignoring case. For names, it also ignores accents and repeated spaces. */
export const textFilter = safeText(200);

/** Any text that could be an id. Rejects NUL and lone surrogates, because the database can't compare them. */
export const idText = boundedText(64).refine((text) => text.isWellFormed() && !text.includes("\u0000"), {
  error: "Not an id",
});
export const idFilter = repeatable(idText);

/** For descending order, accepts `sortBy=-field` and `sortBy=field&sortDesc=true`. Both can be repeated for several sort keys. */
export function pageQuery<const F extends readonly [string, ...string[]]>(sortable: F) {
  const column = z.enum(sortable.flatMap((field) => [field, `-${field}`]) as [string, ...string[]]);
  return {
    skip: queryInt(0, 1_000_000_000).optional(),
    limit: queryInt(1, maxLimit).optional(),
    sortBy: repeatable(column).optional(),
    sortDesc: repeatable(queryFlag as unknown as z.ZodType<boolean, string>).optional(),
    includeTotals: queryFlag.optional(),
    includeDeleted: queryFlag.optional(),
  };
}

export type SortKey = { field: string; descending: boolean };

/**
 * Combines both notations of descending order. The nth `sortDesc` belongs to the nth `sortBy`, and is ignored if that starts with
 * a minus.
 */
export function sortKeys(query: { sortBy?: string[] | undefined; sortDesc?: boolean[] | undefined }): SortKey[] {
  return (query.sortBy ?? []).map((text, index) =>
    text.startsWith("-")
      ? { field: text.slice(1), descending: true }
      : { field: text, descending: query.sortDesc?.[index] ?? false },
  );
}

export type Page<T> = { objects: T[]; total?: number };

export function pageReply<S extends z.ZodType>(item: S) {
  return z.object({ objects: z.array(item), total: z.int().optional() });
}
