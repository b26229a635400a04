// Copies and checks the files of backups.
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { copyFile, mkdir, readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { BackupFile } from "./manifest.rules.ts";

const chunkBytes = 1024 * 1024;

/** What a base backup leaves out, as PostgreSQL's manual lists it for the low-level API. */
const emptied = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);
const omitted = /^(?:postmaster\.(?:pid|opts)|pgsql_tmp.*|pg_internal\.init.*|current_logfiles.*)$/;

/** Lists a data folder while PostgreSQL writes to it: files may disappear later. */
export async function listDataFolder(root: string): Promise<{ folders: string[]; files: string[] }> {
  const found = { folders: [] as string[], files: [] as string[] };
  async function visit(folder: string): Promise<void> {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(ignoreMissing([]))) {
      if (omitted.test(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isFile()) found.files.push(path);
      if (!entry.isDirectory()) continue;
      found.folders.push(path);
      if (!emptied.has(path)) await visit(path);
    }
  }
  await visit("");
  found.folders.push(join("pg_wal", "archive_status"), join("pg_wal", "summaries"));
  return found;
}

/** Copies what the file holds now, durably. Null if it does not exist anymore. Blocks, which is faster for thousands of small files. */
export function copyHashed(from: string, to: string): Omit<BackupFile, "path"> | null {
  return withFile(from, (source) => {
    const target = openSync(to, "wx", 0o600);
    try {
      const copied = readHashed(source, (bytes) => writeAll(target, bytes));
      fsyncSync(target);
      return copied;
    } finally {
      closeSync(target);
    }
  });
}

export function hashFile(file: string): Omit<BackupFile, "path"> | null {
  return withFile(file, (source) => readHashed(source, () => undefined));
}

function withFile<T>(file: string, work: (handle: number) => T): T | null {
  const handle = openIfPresent(file);
  if (handle === null) return null;
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}

function openIfPresent(file: string): number | null {
  try {
    return openSync(file, "r");
  } catch (error) {
    return ignoreMissing(null)(error);
  }
}

const buffer = Buffer.allocUnsafe(chunkBytes);

function readHashed(source: number, use: (bytes: Buffer) => void) {
  const hash = createHash("sha256");
  let size = 0;
  for (;;) {
    const length = readSync(source, buffer, 0, chunkBytes, size);
    if (length === 0) return { size, sha256: hash.digest("hex") };
    const bytes = buffer.subarray(0, length);
    hash.update(bytes);
    use(bytes);
    size += length;
  }
}

function writeAll(target: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(target, bytes, done);
}

/** Returns the path of the first file that is missing or has other content. */
export function findDamage(folder: string, files: readonly BackupFile[]): string | null {
  for (const { path, size, sha256 } of files) {
    const found = hashFile(join(folder, path));
    if (found?.size !== size || found.sha256 !== sha256) return path;
  }
  return null;
}

/** Copies a WAL segment that may end early; PostgreSQL expects full length. */
export async function copySegment(from: string, to: string, segmentBytes: number): Promise<void> {
  await copyFile(from, to);
  await truncate(to, segmentBytes);
}

export async function makeFolders(root: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await mkdir(join(root, folder), { recursive: true, mode: 0o700 });
}

function ignoreMissing<T>(fallback: T) {
  return (error: unknown): T => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return fallback;
    throw error;
  };
}
