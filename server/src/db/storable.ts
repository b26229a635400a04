// Makes strings and JSON storable. PostgreSQL refuses U+0000 and lone surrogates, and one bad string must not fail a whole batch.

const maxDepth = 32;
const maxLength = 32_768;

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

export function toStorableText(text: string): string {
  return isStorableText(text) ? text : text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** Use only this function to create jsonb values. Unstorable characters in strings and keys become U+FFFD; undefined becomes null. */
export function toJsonb(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  // JSON.stringify escapes U+0000 and lone surrogates, but not complete surrogate pairs.
  return text.replaceAll(/\\(?:u([\da-f]{4})|.)/g, (escape, code?: string) =>
    code !== undefined && /^(?:0000|d[89a-f])/.test(code) ? "\uFFFD" : escape,
  );
}

/** Null becomes SQL null instead of JSON null. */
export const toJsonbOrNull = (value: unknown): string | null =>
  value === undefined || value === null ? null : toJsonb(value);

/** Serializes device input. Cuts it if it is too deep or too long. */
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
