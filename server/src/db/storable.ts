// Makes texts and JSON fit for PostgreSQL, which stores neither U+0000 nor half surrogates. One bad text must not stop its neighbors.

const maxDepth = 32;
const maxLength = 32_768;

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

export function toStorableText(text: string): string {
  return isStorableText(text) ? text : text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** JSON of a value for a column of type jsonb; nothing else makes it. What can't be stored, in texts and in keys, becomes U+FFFD. Undefined is null. */
export function toJsonb(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  // JSON.stringify escapes both, whole pairs of surrogates it does not.
  return text.replaceAll(/\\(?:u([\da-f]{4})|.)/g, (escape, code?: string) =>
    code !== undefined && /^(?:0000|d[89a-f])/.test(code) ? "\uFFFD" : escape,
  );
}

/** As `toJsonb` for a column that may be empty: null stays null. */
export const toJsonbOrNull = (value: unknown): string | null =>
  value === undefined || value === null ? null : toJsonb(value);

/** JSON of what a device sent, cut where it nests too deep or gets too long. */
export function toStorableJson(value: unknown): string {
  const text = toJsonb(clean(value, 0));
  return text.length <= maxLength ? text : toJsonb({ cut: text.slice(0, maxLength / 8) });
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return null;
  if (Array.isArray(value)) return value.map((one) => clean(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clean(one, depth + 1)]));
}
