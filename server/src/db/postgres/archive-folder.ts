// The folder that backups are kept in: `base/NAME` for each base backup, `wal/NUMBER` for the WAL of each installation.
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { toInstallationTime } from "./installation.ts";

/** Segments of different installations have equal names, so each has its own folder. */
export function archiveFolder(target: string, installation: number): string {
  return path.join(target, "wal", String(installation));
}

/** What the archive covers, in `covered.json`: everything committed until `at` is in the log before `lsn`. */
export type Covered = { at: string; lsn: string; systemId: string };

export async function readCovered(folder: string): Promise<Covered | null> {
  const text = await readFile(path.join(folder, "covered.json"), "utf8").catch(() => null);
  return text === null ? null : (JSON.parse(text) as Covered);
}

/** `folder` is the archive of an installation. Base backups from before its restore are useless for it. */
export async function newestBaseAt(folder: string): Promise<number | null> {
  const names = await readdir(path.join(folder, "../../base")).catch(() => []);
  const since = toInstallationTime(Number(path.basename(folder)));
  const times = names.map(parseBaseName).filter((time) => time !== null && time >= since);
  return times.length === 0 ? null : Math.max(...times.map(Number));
}

/** Base backups are named like `2026-11-29T05-47-12Z`. */
export function parseBaseName(name: string): number | null {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\dZ)$/.exec(name);
  return parts && Date.parse(`${parts[1]}:${parts[2]}:${parts[3]}`);
}

export function toBaseName(time: Date): string {
  return `${time.toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}

/** Deletes archived segments that end before the first one that a kept backup needs. */
export async function removeSegmentsBefore(folder: string, firstNeeded: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const old = names.filter((name) => /^[\dA-F]{24}/.test(name) && name.slice(8, 24) < firstNeeded.slice(8));
  for (const name of old) await rm(path.join(folder, name));
  return old.length;
}
