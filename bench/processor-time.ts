// Reads the processor time of processes, on Linux.
import { readFileSync } from "node:fs";
import { childrenOf } from "./product.ts";

const ticksPerSecond = 100;

/** Seconds of a process and of its children that have ended. */
export function processorSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user = 0, system = 0, ofChildren = 0, systemOfChildren = 0] = text
    .slice(text.lastIndexOf(")"))
    .split(" ")
    .slice(12, 16)
    .map(Number);
  return (user + system + ofChildren + systemOfChildren) / ticksPerSecond;
}

/** Seconds of a PostgreSQL server with all its processes. `postmaster`: process id. */
export function databaseSeconds(postmaster: number): number {
  return [postmaster, ...childrenOf(postmaster)].reduce((sum, pid) => sum + processorSeconds(pid), 0);
}

/** KiB of memory that the process occupies. */
export function residentKib(pid: number | null): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid ?? 0}/status`, "utf8"))?.[1] ?? 0);
}
