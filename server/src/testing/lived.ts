// Time on a busy machine: as this process lived it, and how much slower than at rest other processes are.
import { spawn } from "node:child_process";
import { once } from "node:events";

const lookEveryMs = 10;
/** More between two looks means that nobody here could have done anything meanwhile. */
const longestMs = 2 * lookEveryMs;

/**
 * Begins to count; answers how many milliseconds it has been. What the machine gave to others between two looks at the
 * clock does not count; who waits for a timer is found out all the same.
 */
export function stopwatch(): () => number {
  let lived = 0;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    lived += Math.min(now - last, longestMs);
    last = now;
    return lived;
  };
  setInterval(look, lookEveryMs).unref();
  return look;
}

/** What Node takes to come and go on a machine at rest. */
const nodeAtRestMs = 60;

/** How many times slower than at rest processes are here just now, at least 1: the measure of a bound on what they do. */
export async function slowness(): Promise<number> {
  const begunAt = performance.now();
  await once(spawn(process.execPath, ["--eval", ""], { stdio: "ignore" }), "exit");
  return Math.max(1, (performance.now() - begunAt) / nodeAtRestMs);
}
