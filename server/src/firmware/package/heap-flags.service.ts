// Collects the young generation while a big file passes: left alone, V8 keeps twice its size in dead pieces (ADR 0018).
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const everyBytes = 8 * 1024 * 1024;
let passed = 0;
let collect: (() => void) | null = null;

/** Counts bytes that went by and are not needed any more; collecting once per this many, of any file, costs about a millisecond. */
export function collectAfter(bytes: number): void {
  passed += bytes;
  if (passed < everyBytes) return;
  passed = 0;
  collect ??= createCollector();
  collect();
}

/** V8 gives its collector to contexts that are made after this flag was set, and to no others. */
function createCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as (options: { type: "minor" }) => void;
  setFlagsFromString("--no-expose-gc");
  return () => gc({ type: "minor" });
}
