// Writes canonical JSON (RFC 8785), so that server and device sign and verify the same bytes.

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };

/** Sorts keys by UTF-16 code units, writes no whitespace, and formats numbers like ECMAScript. Omits undefined fields. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) {
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error("Only finite numbers can be signed");
    return JSON.stringify(value);
  }
  const fields = Object.entries(value as Record<string, Json | undefined>)
    .filter((field): field is [string, Json] => field[1] !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(",")}}`;
}
