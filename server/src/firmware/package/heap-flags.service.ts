// Runs young-generation garbage collection during large transfers: otherwise V8 keeps twice a file's size in dead chunks (ADR 0018).
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const everyBytes = 8 * 1024 * 1024;
let passed = 0;
let collect: (() => void) | null = null;

/** Adds bytes that have become garbage, and runs a collection every 8 MiB. A collection takes about a millisecond. */
export function reportGarbage(bytes: number): void {
  passed += bytes;
  if (passed < everyBytes) return;
  passed = 0;
  collect ??= createCollector();
  collect();
}

/** V8 exposes its collector only to contexts that are created after this flag was set. */
function createCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as (options: { type: "minor" }) => void;
  setFlagsFromString("--no-expose-gc");
  return () => gc({ type: "minor" });
}
