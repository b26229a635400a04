// Free JSON from outside within bounds: how deep, how much, and how long its texts are, before anything else reads it.
import { isBounded } from "../kit/text-bounds.ts";

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
    const entries = Object.entries(part);
    return (
      entries.length <= left && entries.every(([key, inner]) => isBounded(key, bounds.key) && fits(inner, depth + 1))
    );
  };
  return fits(value, 0);
}
