// Bytes of a device as a value: valid UTF-8, valid JSON, no depth that breaks a stack, no characters that break a database.

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
const deepest = 16;
// eslint-disable-next-line no-control-regex -- control characters are exactly what is removed here
const unwanted = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;
/** Escapes are the only way to write what PostgreSQL refuses; texts without any need no second look. */
// eslint-disable-next-line no-control-regex -- see above
const suspicious = /\\u|[\u007f-\u009f\u2028\u2029]/;

/** The parsed payload, or null when it is no JSON of reasonable shape. */
export function parsePayload(payload: Buffer): { value: unknown } | null {
  try {
    const text = decoder.decode(payload);
    const value: unknown = JSON.parse(text);
    return { value: tidy(value, deepest, suspicious.test(text)) };
  } catch {
    return null;
  }
}

/** Checks depth, and rewrites texts and keys where control characters or half characters may be. */
function tidy(value: unknown, depth: number, rewrite: boolean): unknown {
  if (typeof value === "string") return rewrite ? clean(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) throw new Error("too deep");
  if (!rewrite) {
    for (const item of Object.values(value)) tidy(item, depth - 1, false);
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => tidy(item, depth - 1, true));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), tidy(item, depth - 1, true)]));
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll(unwanted, "");
}
