// Resolves conflicts over a PostgreSQL folder: respects a live owner and stops an orphan.

import { readFile, readlink, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export type PostgresLog = { info(message: string): void; warn(message: string): void; error(message: string): void };

/**
 * Marks this process as the owner of the folder. Returns a function that releases it. Throws if another live process still owns it
 * after 3 s.
 */
export async function claimDataDir(dataDir: string): Promise<() => Promise<void>> {
  const note = `${dataDir}.owner`;
  const mine = await identityOf(process.pid);
  const deadline = Date.now() + 3_000;
  while (!(await writeNew(note, mine))) {
    const owner = await readFile(note, "utf8").catch(() => "");
    const pid = Number.parseInt(owner, 10);
    if (!(pid > 0) || owner !== (await identityOf(pid))) {
      await rm(note, { force: true });
    } else if (Date.now() > deadline) {
      throw new Error(`${dataDir} is in use by process ${pid}. Stop it, or choose another DATA_DIR`);
    } else {
      await delay(50);
    }
  }
  return () => rm(note, { force: true });
}

/**
 * Stops an orphaned PostgreSQL on the folder and removes a stale pid file. Returns the last socket folder. Throws if PostgreSQL
 * does not end within 10 s.
 */
export async function stopOrphan(dataDir: string, log: PostgresLog): Promise<string | null> {
  const pidFile = path.join(dataDir, "postmaster.pid");
  const lines = (await readFile(pidFile, "utf8").catch(() => "")).split("\n");
  const pid = Number(lines[0]);
  if (!(pid > 0)) return null;
  if (await isPostmasterOf(pid, dataDir)) {
    log.warn(`ending PostgreSQL ${pid}, left over from an earlier run`);
    // SIGINT makes a checkpoint; after SIGQUIT, the next start recovers from the write-ahead log.
    if (!(await ended(pid, dataDir, "SIGINT")) && !(await ended(pid, dataDir, "SIGQUIT"))) {
      throw new Error(`PostgreSQL ${pid} is still running on ${dataDir} and could not be stopped. Stop it manually`);
    }
  }
  // Removes the file if another program has reused the pid, because PostgreSQL would take that program for a running postmaster.
  // Otherwise the file stays, because PostgreSQL uses it to find children that outlived their postmaster.
  if (isAlive(pid)) await rm(pidFile, { force: true });
  return lines[4]?.trim() || null;
}

async function ended(pid: number, dataDir: string, signal: NodeJS.Signals): Promise<boolean> {
  const deadline = Date.now() + 5_000;
  try {
    process.kill(pid, signal);
  } catch {
    return true;
  }
  while (await isPostmasterOf(pid, dataDir)) {
    if (Date.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

async function writeNew(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The working directory of a postmaster is its data folder. On systems other than Linux, the pid file is trusted. */
async function isPostmasterOf(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform !== "linux") return isAlive(pid);
  const place = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return place !== null && place === (await realpath(dataDir).catch(() => null));
}

/** Returns the pid with its start time and boot id, which distinguish it from a later process with the same pid. */
async function identityOf(pid: number): Promise<string> {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (status === null) return process.platform === "linux" || !isAlive(pid) ? "" : `${pid}`;
  // Field 22 is the start time. The name before it may contain spaces and brackets.
  const startedAt = status.slice(status.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  return `${pid} ${startedAt} ${boot.trim()}`;
}
