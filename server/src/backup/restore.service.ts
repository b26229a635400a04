// Restores a backup into DATA_DIR: builds and checks it in a folder of its own, and only then puts it in place.
import { copyFileSync, existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BackupConfig, readConfig } from "../config.ts";
import { startEmbeddedPostgres } from "../db/postgres/embedded-postgres.ts";
import { claimDataDir, type PostgresLog } from "../db/postgres/postgres-orphan.ts";
import {
  prepareRecovery,
  readAtPoint,
  recoverUntil,
  type RecoveryTarget,
  TargetNotReachedError,
} from "../db/postgres/recovery.ts";
import { switchFile, withSuperuser } from "../db/postgres/start-database.ts";
import { readErased } from "../kit/backup/erased-ids.ts";
import { type Aftermath, finishRestore } from "./after-restore.service.ts";
import { sumTables } from "./base.store.ts";
import { chooseBase, planSegments } from "./coverage.rules.ts";
import { copySegment, findDamage, makeFolders } from "./files.adapter.ts";
import { compareTables, type Manifest } from "./manifest.rules.ts";
import { openWithPassphrase } from "./seal.rules.ts";
import { finishSwitch } from "./switch.adapter.ts";
import * as target from "./target.adapter.ts";

export type RestoreOptions = {
  source: string;
  /** Null: the newest state that the backup covers. */
  at: Date | null;
  replace: boolean;
  env: NodeJS.ProcessEnv;
  say: (line: string) => void;
};

/** `until`: null if it ends at a gap of the archive. */
export type Restored = Aftermath & { base: string; until: Date | null; keptIn: string | null };

/** Returns null if it only finished a restore that was interrupted. */
export async function restoreBackup(config: BackupConfig, options: RestoreOptions): Promise<Restored | null> {
  const { dataDir } = config;
  if (config.databaseUrl !== null)
    throw new Error(
      "DATABASE_URL is set, and this command restores the embedded database only. See docs/operations.md",
    );
  await mkdir(dataDir, { recursive: true });
  const release = await claimDataDir(join(dataDir, "postgres"));
  try {
    if (existsSync(switchFile(dataDir))) {
      await finishSwitch(dataDir);
      return null;
    }
    return await restoreInto(config, options);
  } finally {
    await release();
  }
}

async function restoreInto(config: BackupConfig, options: RestoreOptions): Promise<Restored> {
  const { dataDir } = config;
  const { source, at, say } = options;
  const plan = await makePlan(source, at, say);
  const secrets = await openSecrets(config, source, plan.base.name);
  const isEmpty = !existsSync(join(dataDir, "postgres")) && (await isMissingOrEmpty(join(dataDir, "secrets")));
  if (!isEmpty && !options.replace)
    throw new Error(`${dataDir} is not empty. Choose another DATA_DIR, or add --replace to keep what it holds aside`);
  await checkHashes(source, plan, say);
  const draft = join(dataDir, "restoring");
  await rm(draft, { recursive: true, force: true });
  // PostgreSQL may run as another user, who must reach its folder.
  await mkdir(draft, { mode: 0o711 });
  try {
    await copyInto(draft, source, plan, say);
    await writeSecrets(draft, secrets);
    await recover(draft, plan, options);
    const aftermath = await finishIn(draft, config, options);
    const keptIn = isEmpty ? null : `replaced-${plan.base.name}-${aftermath.installation}`;
    await writeFile(switchFile(dataDir), JSON.stringify({ keptIn }), { flush: true });
    await finishSwitch(dataDir);
    const until = at ?? (plan.hasGap ? null : plan.until);
    return { ...aftermath, base: plan.base.name, until, keptIn: keptIn && join(dataDir, keptIn) };
  } catch (error) {
    if (!existsSync(switchFile(dataDir))) await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

type Plan = ReturnType<typeof planSegments> & { base: Manifest; archive: target.ArchivedWal; until: Date };

/** Throws if the backup does not cover the time. */
async function makePlan(source: string, at: Date | null, say: (line: string) => void): Promise<Plan> {
  const names = await target.listBases(source);
  if (names.length === 0) throw new Error(`${source} has no complete backup`);
  const bases: Manifest[] = [];
  for (const name of names.toReversed()) {
    bases.unshift(await target.openManifest(source, name));
    // Older ones are not needed, and may be damaged.
    if (chooseBase(bases, at) !== null) break;
  }
  const base = chooseBase(bases, at);
  if (base === null) throw new Error(`The backup begins at ${bases[0]?.point.at}, after the chosen time`);
  const archive = await target.readArchive(source, base.installation);
  const plan = planSegments(base, archive.sizes);
  const pointAt = new Date(base.point.at);
  const until = plan.isArchived && archive.coveredAt && archive.coveredAt > pointAt ? archive.coveredAt : pointAt;
  const isCovered = at === null || (plan.isArchived && at <= until);
  if (!isCovered) throw new Error(`The backup ends at ${until.toISOString()}, before the chosen time`);
  if (plan.hasGap) say("The archived log has a gap; what was written after it cannot be restored from this backup.");
  return { ...plan, base, archive, until };
}

async function openSecrets(config: BackupConfig, source: string, name: string): Promise<Map<string, Buffer>> {
  const sealed = await readFile(join(target.baseFolder(source, name), target.secretsFile)).catch(() => null);
  if (sealed === null) throw new Error(`The secrets of the backup ${name} are missing`);
  const opened = openWithPassphrase(config.passphrase(), sealed);
  if (opened === null) throw new Error("The passphrase does not open the secrets of this backup. Nothing was changed");
  const entries = Object.entries(JSON.parse(opened.toString("utf8")) as Record<string, string>);
  // Without its key, no link of a display works anymore, not even one that was made after the backup.
  return new Map(
    entries
      .filter(([file]) => file !== "display_private_key")
      .map(([file, text]) => [file, Buffer.from(text, "base64")]),
  );
}

async function checkHashes(source: string, { base, segments, archive }: Plan, say: (line: string) => void) {
  say(`Checking the backup ${base.name} …`);
  const damage = findDamage(target.baseFolder(source, base.name), base.files);
  if (damage !== null) throw new Error(`${damage} of the backup ${base.name} is damaged. Restore another backup`);
  for (const { name, from } of segments)
    if (from === "archive" && !(await target.isSegmentIntact(archive.folder, name)))
      throw new Error(
        `The segment ${name} of the archived log is damaged. Restore to a time before it, or another backup`,
      );
}

async function copyInto(draft: string, source: string, { base, segments, archive }: Plan, say: (line: string) => void) {
  say("Copying the database …");
  const from = target.baseFolder(source, base.name);
  const to = join(draft, "postgres");
  await makeFolders(to, ["", ...base.folders]);
  const copied = base.files.flatMap(({ path }) => (path.startsWith("data/") ? [path.slice("data/".length)] : []));
  for (const path of copied) copyFileSync(join(from, "data", path), join(to, path));
  for (const { name, from: place } of segments)
    await copySegment(
      join(place === "base" ? join(from, "wal") : archive.folder, name),
      join(to, "pg_wal", name),
      base.segmentBytes,
    );
  const wal = segments.map(({ name }) => join("pg_wal", name));
  await prepareRecovery(to, [...base.folders, ...copied, ...wal]);
}

async function writeSecrets(draft: string, secrets: ReadonlyMap<string, Buffer>): Promise<void> {
  await mkdir(join(draft, "secrets"), { mode: 0o700 });
  for (const [name, content] of secrets)
    await writeFile(join(draft, "secrets", name), content, { mode: 0o600, flush: true });
}

async function recover(
  draft: string,
  { base, isArchived, hasGap, until }: Plan,
  { at, say }: RestoreOptions,
): Promise<void> {
  const log: PostgresLog = { info: say, warn: () => undefined, error: say };
  const options = { dataDir: join(draft, "postgres"), log, settings: base.settings };
  say("Comparing the tables with the backup …");
  const found = await readAtPoint(options, base.point.name, (url) =>
    withSuperuser(url.replace("/postgres?", "/psp?"), sumTables),
  );
  const differences = compareTables(base.tables, found);
  if (differences.length > 0) throw new Error(`The restored tables differ from the backup: ${differences.join("; ")}`);
  const latest: RecoveryTarget = isArchived ? "latest" : { point: base.point.name };
  say(at === null ? "Recovering the latest state …" : `Recovering the state of ${at.toISOString()} …`);
  try {
    await recoverUntil(options, at === null ? latest : { at });
  } catch (error) {
    // Nothing was committed after the chosen time, so the end of the log is the state at that time.
    if (!(error instanceof TargetNotReachedError) || hasGap) throw error;
    if (at !== null && at <= until) await recoverUntil(options, latest);
  }
}

/** Uses the product's own way to start the recovered database, which also proves that it starts. */
async function finishIn(draft: string, config: BackupConfig, { source, env, say }: RestoreOptions): Promise<Aftermath> {
  say("Ending sessions, holding mails and erasing personal data …");
  const lists = [...new Set([source, config.backupDir ?? source])];
  const erased = (await Promise.all(lists.map(readErased))).flat();
  const log: PostgresLog = { info: () => undefined, warn: say, error: say };
  const postgres = await startEmbeddedPostgres({ dataDir: join(draft, "postgres"), log });
  try {
    return await finishRestore(readConfig({ ...env, DATA_DIR: draft }), postgres.url, erased);
  } finally {
    await postgres.stop();
  }
}

async function isMissingOrEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length === 0;
}
