// Lets go of pieces of big files soon after they passed: left alone, V8 keeps twice its young generation of them (ADR 0036).
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const everyBytes = 8 * 1024 * 1024;
let passed = 0;
let collect: (() => void) | null = null;

/** Tells of bytes that went by and are not needed any more; every so many of them, from whatever file, cost about a millisecond. */
export function letGo(bytes: number): void {
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
