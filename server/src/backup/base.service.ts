// Makes a base backup of the embedded database, running or not: copies its files, the WAL until a restore point, and the secrets.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BackupConfig } from "../config.ts";
import { claimDataDir } from "../db/postgres/postgres-orphan.ts";
import { toBaseName } from "../db/postgres/archive-folder.ts";
import { parseLsn, segmentsBetween } from "../db/postgres/wal.ts";
import { renameDurably, syncFolder, writeDurably } from "../kit/backup/durable-file.ts";
import * as store from "./base.store.ts";
import { type Connect, withDatabase } from "./database.adapter.ts";
import { copyHashed, findDamage, hashFile, listDataFolder, makeFolders } from "./files.adapter.ts";
import { type BackupFile, type Manifest, type TableSum, writeManifest } from "./manifest.rules.ts";
import { sealWithPassphrase } from "./seal.rules.ts";
import { baseFolder, manifestFile, removeDrafts, removeOldBases, secretsFile } from "./target.adapter.ts";

const lockLimitMs = 500;
const quietTries = 60;

export type BackupOptions = { target: string; keep: number | null; say: (line: string) => void };

/** Returns the name of the backup. Until it is complete and checked, its folder has another name. */
export async function makeBackup(config: BackupConfig, { target, keep, say }: BackupOptions): Promise<string> {
  const passphrase = config.passphrase();
  const dataDir = join(config.dataDir, "postgres");
  if (!existsSync(join(dataDir, "PG_VERSION"))) throw new Error(`${dataDir} has no database`);
  if (`${target}${sep}`.startsWith(`${dataDir}${sep}`)) throw new Error(`The target must not be in ${dataDir}`);
  await mkdir(join(target, "base"), { recursive: true, mode: 0o700 });
  const release = await claimDataDir(join(target, "backup"));
  try {
    await removeDrafts(target);
    return await withDatabase(config, say, async (connect) => {
      const name = await newName(target);
      const draft = baseFolder(target, `${name}.part`);
      await mkdir(draft, { mode: 0o700 });
      const manifest = await copyBase(connect, { dataDir, draft, name, say });
      manifest.files.push(await sealSecrets(config.dataDir, draft, passphrase));
      await writeDurably(join(draft, manifestFile), writeManifest(manifest));
      say("Checking the copy …");
      const damage = findDamage(draft, manifest.files);
      if (damage !== null) throw new Error(`${damage} was not copied correctly. Check the disk of ${target}`);
      await renameDurably(draft, baseFolder(target, name));
      const old = keep === null ? [] : await removeOldBases(target, keep);
      for (const one of old) say(`Deleted the old backup ${one}`);
      return name;
    });
  } catch (error) {
    await removeDrafts(target).catch(() => undefined);
    throw error;
  } finally {
    await release();
  }
}

/** Names have seconds, so a second backup within one waits. */
async function newName(target: string): Promise<string> {
  for (;;) {
    const name = toBaseName(new Date());
    if (!existsSync(baseFolder(target, name))) return name;
    await delay(100);
  }
}

type Copying = { dataDir: string; draft: string; name: string; say: (line: string) => void };

async function copyBase(connect: Connect, { dataDir, draft, name, say }: Copying): Promise<Manifest> {
  const client = await connect();
  const cluster = await store.readCluster(client);
  if (await store.hasTablespaces(client)) throw new Error("Databases with tablespaces of their own are not supported");
  const installation = await store.readInstallation(client);
  const startLsn = await store.beginBackup(client, name);
  say("Copying the database …");
  const { folders, files } = await copyDataFolder(dataDir, draft);
  const { label } = await store.endBackup(client);
  await writeDurably(join(draft, "data", "backup_label"), label);
  files.push(await describe(draft, "data/backup_label"));
  say("Counting and hashing the tables …");
  const { lsn, at, tables } = await sumAtQuietMoment(connect, name);
  while (!(await store.isFlushed(client, lsn))) await delay(50);
  await mkdir(join(draft, "wal"), { mode: 0o700 });
  for (const segment of segmentsBetween(cluster, parseLsn(startLsn), parseLsn(lsn))) {
    const copied = copyHashed(join(dataDir, "pg_wal", segment), join(draft, "wal", segment));
    if (copied === null) throw new Error(`PostgreSQL removed the segment ${segment} during the backup`);
    files.push({ path: `wal/${segment}`, ...copied });
  }
  for (const folder of ["wal", ...folders.map((one) => join("data", one)), "data"])
    await syncFolder(join(draft, folder));
  const point = { name, lsn, at: at.toISOString() };
  return { format: 1, name, ...cluster, installation, startLsn, point, folders, files, tables };
}

async function copyDataFolder(dataDir: string, draft: string) {
  const listed = await listDataFolder(dataDir);
  await makeFolders(join(draft, "data"), ["", ...listed.folders]);
  const files: BackupFile[] = [];
  for (const path of listed.files) {
    const copied = copyHashed(join(dataDir, path), join(draft, "data", path));
    if (copied !== null) files.push({ path: join("data", path), ...copied });
  }
  return { folders: listed.folders, files };
}

async function describe(draft: string, path: string): Promise<BackupFile> {
  const found = hashFile(join(draft, path));
  if (found === null) throw new Error(`${path} disappeared`);
  return { path, ...found };
}

async function sumAtQuietMoment(
  connect: Connect,
  name: string,
): Promise<{ lsn: string; at: Date; tables: TableSum[] }> {
  const [locking, reading] = [await connect(), await connect()];
  for (let left = quietTries; left > 0; left -= 1) {
    const moment = await store.markQuietMoment(locking, name, lockLimitMs);
    if (moment !== null) {
      await store.adoptSnapshot(reading, moment.snapshot);
      await locking.query("commit");
      return { lsn: moment.lsn, at: moment.at, tables: await store.sumTables(reading) };
    }
    await delay(lockLimitMs);
  }
  throw new Error("Writes were running all the time, so the tables could not be hashed. Repeat the backup later");
}

/** Everything in DATA_DIR/secrets, by name. */
async function sealSecrets(dataDir: string, draft: string, passphrase: string): Promise<BackupFile> {
  const folder = join(dataDir, "secrets");
  const secrets: Record<string, string> = {};
  for (const name of await readdir(folder).catch(() => []))
    secrets[name] = (await readFile(join(folder, name))).toString("base64");
  const sealed = sealWithPassphrase(passphrase, Buffer.from(JSON.stringify(secrets)));
  await writeDurably(join(draft, secretsFile), sealed);
  return describe(draft, secretsFile);
}
