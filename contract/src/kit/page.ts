// Lists: paging, sorting, totals and repeatable filters, the same for every noun (docs/rules/api.md#lists).
import { z } from "zod";
import { boundedText } from "./bounded-text.ts";
import { safeText } from "./safe-text.ts";

export const maxLimit = 500;

/** A query flag: exactly `true` or `false`. */
export const queryFlag = z.enum(["true", "false"]).transform((text) => text === "true");

/** A whole number in a query. */
export function queryInt(min: number, max: number) {
  return boundedText(64)
    .regex(/^-?\d{1,15}$/, "Should be integer")
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: `Should be ${min} to ${max}` });
}

/** A number in a query, with or without a fraction. */
export function queryNumber(min: number, max: number) {
  return boundedText(64)
    .regex(/^\d{1,15}(?:\.\d{1,20})?$/, "Should be a number")
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: `Should be ${min} to ${max}` });
}

/** A filter that may be given once or repeated; always an array afterwards. */
export function repeatable<S extends z.ZodType<unknown, string>>(item: S, max = maxLimit) {
  return z.union([z.array(item).max(max), item.transform((one) => [one] as z.output<S>[])]) as unknown as z.ZodType<
    z.output<S>[],
    string | string[]
  >;
}

/** A text filter: a substring, without case (in names also without accents and doubled blanks), within the input rule. */
export const textFilter = safeText(200);

/** Anything that could be an id; NUL and halves of characters can't even be asked about. */
export const idText = boundedText(64).refine((text) => text.isWellFormed() && !text.includes("\u0000"), {
  error: "Not an id",
});
export const idFilter = repeatable(idText);

/** `sortBy=-field` and `sortBy=field&sortDesc=true` both work; repeated for multi-sort. */
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

/** Reads the two spellings of sorting into one list; `sortDesc` counts by position, a leading minus wins. */
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
