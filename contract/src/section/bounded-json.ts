// Checks untrusted JSON: depth, number of values, string length, and strings that can't be stored.
import { isBounded } from "../kit/text-bounds.ts";
import type { Values } from "./field.ts";

const bounds = { depth: 8, parts: 4000, text: 4096, key: 64 } as const;

/** Whether the JSON is within all limits. Stops as soon as one is exceeded, so that its time is bounded. */
export function isBoundedJson(value: unknown): boolean {
  let left: number = bounds.parts;
  const fits = (part: unknown, depth: number): boolean => {
    left -= 1;
    if (left < 0 || depth > bounds.depth) return false;
    if (typeof part === "string") return isBounded(part, bounds.text);
    if (typeof part !== "object" || part === null) return true;
    if (Array.isArray(part)) return part.length <= left && part.every((inner) => fits(inner, depth + 1));
    // `Object.entries` would first copy all entries of an oversized object.
    for (const key in part) {
      if (Object.hasOwn(part, key) && !(isBounded(key, bounds.key) && fits((part as Values)[key], depth + 1)))
        return false;
    }
    return true;
  };
  return fits(value, 0);
}

/**
 * Returns the dotted path of the first string or key with U+0000 or a lone surrogate, which the database can't store. Returns
 * null if there is none. The JSON must be within the limits.
 */
export function findUnstorablePath(value: unknown, path = ""): string | null {
  if (typeof value === "string") return isStorable(value) ? null : path;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    const found = isStorable(key) ? findUnstorablePath(part, path === "" ? key : `${path}.${key}`) : path;
    if (found !== null) return found;
  }
  return null;
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes("\u0000");
