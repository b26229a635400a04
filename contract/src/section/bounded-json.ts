// Free JSON from outside: how deep, how much, and how long its texts are, before anything else reads it, and which text can't be stored.
import { isBounded } from "../kit/text-bounds.ts";
import type { Values } from "./field.ts";

const bounds = { depth: 8, parts: 4000, text: 4096, key: 64 } as const;

/** True for JSON of a size that every later look at it can bear. Looks at no more than it allows. */
export function isBoundedJson(value: unknown): boolean {
  let left: number = bounds.parts;
  const fits = (part: unknown, depth: number): boolean => {
    left -= 1;
    if (left < 0 || depth > bounds.depth) return false;
    if (typeof part === "string") return isBounded(part, bounds.text);
    if (typeof part !== "object" || part === null) return true;
    if (Array.isArray(part)) return part.length <= left && part.every((inner) => fits(inner, depth + 1));
    // Not by `Object.entries`: it would copy all there is before the first look.
    for (const key in part) {
      if (Object.hasOwn(part, key) && !(isBounded(key, bounds.key) && fits((part as Values)[key], depth + 1)))
        return false;
    }
    return true;
  };
  return fits(value, 0);
}

/**
 * The dotted path of a text or key with U+0000 or half a surrogate, which no database stores and devices read in different ways;
 * null when there is none. For JSON within bounds.
 */
export function unstorableIn(value: unknown, path = ""): string | null {
  if (typeof value === "string") return isStorable(value) ? null : path;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    const found = isStorable(key) ? unstorableIn(part, path === "" ? key : `${path}.${key}`) : path;
    if (found !== null) return found;
  }
  return null;
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes("\u0000");
