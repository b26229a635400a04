// Validates the URL parameters of the sensor list without zod, which would slow down the most frequent first page (ADR 0027).
import { hasForbiddenCharacters, normalizeText, isBounded, rawLengthFactor } from "@psp/contract/kit/text-bounds.ts";

/** Validators by parameter name. Zod schemas fit this type too. */
export type ParameterValidators = Readonly<Record<string, { safeParse: (value: unknown) => { success: boolean } }>>;

const one = (accepts: (text: string) => boolean) => ({
  safeParse: (value: unknown) => ({ success: typeof value === "string" && accepts(value) }),
});

const most = 500;

/** Accepts a parameter that occurs once or repeatedly. */
const some = (accepts: (text: string) => boolean) => ({
  safeParse: (value: unknown) => {
    const all: unknown[] = Array.isArray(value) ? value : [value];
    return { success: all.length <= most && all.every((text) => typeof text === "string" && accepts(text)) };
  },
});

const isText = (text: string) =>
  isBounded(text, textLength * rawLengthFactor) &&
  !hasForbiddenCharacters(text) &&
  normalizeText(text).length <= textLength;
const textLength = 200;
const isId = (text: string) => isBounded(text, idLength) && text.isWellFormed() && !text.includes("\u0000");
const idLength = 64;
const isFlag = (text: string) => text === "true" || text === "false";
const isColumnOf = (columns: readonly string[]) => (text: string) => columns.includes(text.replace(/^-/, ""));

export const text = one(isText);
export const texts = some(isText);
export const id = one(isId);
export const ids = some(isId);
export const flag = one(isFlag);
export const oneOf = (words: readonly string[]) => one((word) => words.includes(word));
export const someOf = (words: readonly string[]) => some((word) => words.includes(word));

const whole = (min: number, max: number) =>
  one((digits) => /^-?\d{1,15}$/.test(digits) && Number(digits) >= min && Number(digits) <= max);

/** Page and order parameters for lists sortable by these columns. */
export const paging = (columns: readonly string[]) => ({
  skip: whole(0, 1_000_000_000),
  limit: whole(1, most),
  sortBy: some(isColumnOf(columns)),
  sortDesc: some(isFlag),
  includeTotals: flag,
  includeDeleted: flag,
});
