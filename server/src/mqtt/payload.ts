// Parses JSON from devices leniently: old firmware pads with NUL, uses Latin-1 names and prints NaN.

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
const lenient = new TextDecoder("utf-8", { ignoreBOM: false });
const maxDepth = 16;
// eslint-disable-next-line no-control-regex -- control characters are exactly what is removed here
const unwanted = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;
/** PostgreSQL refuses only characters that JSON must escape; a payload without a match needs no cleaning. */
// eslint-disable-next-line no-control-regex -- see above
const suspicious = /\\u|[\u007f-\u009f\u2028\u2029]/;
/** A JSON string (also unterminated, which keeps matching linear), or a number that JSON lacks. */
const textOrNoNumber = /"(?:[^"\\]|\\.?)*"?|[-+]?\b(?:nan|infinity|inf)\b/gis;

/**
 * Null if it is not JSON of at most 16 levels. Cuts trailing NUL bytes, replaces invalid UTF-8 by U+FFFD, and NaN and Infinity by null, so
 * that only their field is refused.
 */
export function parsePayload(payload: Buffer): { value: unknown } | null {
  try {
    const text = decode(withoutPadding(payload));
    return { value: tidy(parseJson(text), maxDepth, suspicious.test(text)) };
  } catch {
    return null;
  }
}

/** The beginning of a payload as text that PostgreSQL can store. */
export function toExcerpt(payload: Buffer, maxBytes: number): string {
  return clean(lenient.decode(withoutPadding(payload).subarray(0, maxBytes)));
}

function withoutPadding(payload: Buffer): Buffer {
  let end = payload.length;
  while (end > 0 && payload[end - 1] === 0) end -= 1;
  return payload.subarray(0, end);
}

function decode(payload: Buffer): string {
  try {
    return strict.decode(payload);
  } catch {
    return lenient.decode(payload);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.replaceAll(textOrNoNumber, (found) => (found.startsWith('"') ? found : "null")));
  }
}

/** Checks the depth and, with `rewrite`, removes control characters and lone surrogates from strings and keys. */
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
