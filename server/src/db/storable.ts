// Makes what a device sent fit for PostgreSQL: no NUL, no half surrogate, no endless nesting. One bad text must not stop its neighbors.

const maxDepth = 32;
const maxLength = 32_768;

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

export function toStorableText(text: string): string {
  return isStorableText(text) ? text : text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** JSON of a value, cut where it nests too deep or gets too long. */
export function toStorableJson(value: unknown): string {
  const text = JSON.stringify(clean(value, 0)) ?? "null";
  return text.length <= maxLength ? text : JSON.stringify({ cut: text.slice(0, maxLength / 8) });
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === "string") return toStorableText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return null;
  if (Array.isArray(value)) return value.map((one) => clean(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [toStorableText(key), clean(one, depth + 1)]));
}
