// The folder that backups are kept in: `base/NAME` for each base backup, `wal/NUMBER` for the WAL of each installation.
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { archiveFolder, parseBaseName, readCovered, removeSegmentsBefore } from "../db/postgres/archive-folder.ts";
import { parseLsn, segmentName } from "../db/postgres/wal.ts";
import { hashFile } from "./files.adapter.ts";
import { type Manifest, readManifest } from "./manifest.rules.ts";

export const baseFolder = (target: string, name: string): string => join(target, "base", name);
export const manifestFile = "manifest";
export const secretsFile = "secrets.sealed";

/** Names of complete base backups, oldest first. */
export async function listBases(target: string): Promise<string[]> {
  const names = await readdir(join(target, "base")).catch(() => []);
  return names.filter((name) => parseBaseName(name) !== null).toSorted();
}

/** Throws if the manifest is missing or damaged. */
export async function openManifest(target: string, name: string): Promise<Manifest> {
  const file = join(baseFolder(target, name), manifestFile);
  const manifest = readManifest(await readFile(file, "utf8").catch(() => ""));
  if (manifest === null) throw new Error(`${file} is missing or damaged. Restore another backup`);
  return manifest;
}

/** Deletes what an interrupted backup left. */
export async function removeDrafts(target: string): Promise<void> {
  const names = await readdir(join(target, "base")).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(".part")))
    await rm(baseFolder(target, name), { recursive: true, force: true });
}

/** Keeps the newest base backups, and deletes the others with the WAL that only they need. */
export async function removeOldBases(target: string, keep: number): Promise<string[]> {
  const names = await listBases(target);
  const old = names.slice(0, -keep);
  for (const name of old) {
    // Renamed first, so that an interrupted deletion leaves nothing that looks complete.
    await rm(baseFolder(target, `${name}.part`), { recursive: true, force: true });
    await rename(baseFolder(target, name), baseFolder(target, `${name}.part`));
    await rm(baseFolder(target, `${name}.part`), { recursive: true, force: true });
  }
  if (old.length > 0) await removeUnneededWal(target, names.slice(-keep));
  return old;
}

async function removeUnneededWal(target: string, kept: readonly string[]): Promise<void> {
  const firstOf = new Map<number, string>();
  for (const name of kept) {
    const manifest = await openManifest(target, name);
    const first = segmentName(manifest, parseLsn(manifest.startLsn));
    if ((firstOf.get(manifest.installation) ?? first) >= first) firstOf.set(manifest.installation, first);
  }
  for (const number of await readdir(join(target, "wal")).catch(() => [])) {
    const folder = archiveFolder(target, Number(number));
    const first = firstOf.get(Number(number));
    if (first === undefined) await rm(folder, { recursive: true, force: true });
    else await removeSegmentsBefore(folder, first);
  }
}

export type ArchivedWal = {
  folder: string;
  /** Bytes of each segment. */
  sizes: Map<string, number>;
  coveredAt: Date | null;
};

export async function readArchive(target: string, installation: number): Promise<ArchivedWal> {
  const folder = archiveFolder(target, installation);
  const sizes = new Map<string, number>();
  for (const name of await readdir(folder).catch(() => []))
    if (/^[\dA-F]{24}$/.test(name)) sizes.set(name, (await stat(join(folder, name))).size);
  const covered = await readCovered(folder);
  return { folder, sizes, coveredAt: covered && new Date(covered.at) };
}

/** Checks a complete segment by its hash. The last one has none yet; PostgreSQL checks each of its records. */
export async function isSegmentIntact(folder: string, name: string): Promise<boolean> {
  const expected = await readFile(join(folder, `${name}.sha256`), "utf8").catch(() => null);
  return expected === null || hashFile(join(folder, name))?.sha256 === expected;
}
