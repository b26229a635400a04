// Damages and interrupts backups and restores of a real embedded database.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readBackupConfig, readConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { startEmbeddedPostgres } from "../db/postgres/embedded-postgres.ts";
import { migrate } from "../db/migrate.ts";
import { archiveFolder } from "../db/postgres/archive-folder.ts";
import { startDatabase, switchFile } from "../db/postgres/start-database.ts";
import { segmentName, parseLsn } from "../db/postgres/wal.ts";
import { until } from "../testing/devices/device-world.ts";
import { makeBackup } from "./base.service.ts";
import { restoreBackup } from "./restore.service.ts";
import { finishSwitch } from "./switch.adapter.ts";
import { baseFolder, isSegmentIntact, listBases, openManifest, removeOldBases } from "./target.adapter.ts";

const quiet = () => undefined;
const log = { info: quiet, warn: quiet, error: quiet };
const BACKUP_PASSPHRASE = "copper-meadow-whistle";
const command = (name: string) => join(import.meta.dirname, `../${name}-command.ts`);

let place: string;
let env: Record<string, string>;
let target: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "psp-damage-"));
  env = { DATA_DIR: join(place, "data"), BACKUP_PASSPHRASE };
  target = join(place, "target");
  readConfig(env);
  const postgres = await startEmbeddedPostgres({ dataDir: join(place, "data", "postgres"), log });
  await migrate(postgres.url);
  await postgres.stop();
  await backup();
});
afterAll(() => rm(place, { recursive: true, force: true, maxRetries: 30 }));

const backup = (keep: number | null = null) => makeBackup(readBackupConfig(env), { target, keep, say: quiet });

let counter = 0;
const emptyPlace = () => ({ ...env, DATA_DIR: join(place, `restored-${(counter += 1)}`) });
const restore = (given: Record<string, string>, source = target, replace = false) =>
  restoreBackup(readBackupConfig(given), { source, at: null, replace, env: given, say: quiet });

/** A copy of the target, because a test damages it. */
async function copyOfTarget(): Promise<{ source: string; name: string }> {
  const source = join(place, `target-${(counter += 1)}`);
  const [name = ""] = await listBases(target);
  await once(spawn("cp", ["-a", target, source]), "close");
  return { source, name };
}

async function flipByte(file: string): Promise<void> {
  const content = await readFile(file);
  const at = Math.floor(content.length / 2);
  content[at] = (content[at] ?? 0) ^ 1;
  await writeFile(file, content);
}

/** Starts a command, and kills it once it has printed this. */
async function killWhen(name: string, args: string[], given: Record<string, string>, printed: string): Promise<void> {
  const child = spawn(process.execPath, [command(name), ...args], { env: { PATH: process.env["PATH"], ...given } });
  let output = "";
  const closed = once(child, "close");
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes(printed)) child.kill("SIGKILL");
    });
  const [, signal] = (await closed) as [unknown, string | null];
  expect(signal, output).toBe("SIGKILL");
}

test("one flipped byte in a file or in the manifest stops a restore, and nothing is written", async () => {
  const { source, name } = await copyOfTarget();
  const { files } = await openManifest(source, name);
  const table = files.find(({ path, size }) => path.startsWith("data/base/") && size > 0);
  const given = emptyPlace();
  await flipByte(join(baseFolder(source, name), table?.path ?? ""));
  await expect(restore(given, source)).rejects.toThrow(`${table?.path} of the backup ${name} is damaged`);
  await flipByte(join(baseFolder(source, name), "manifest"));
  await expect(restore(given, source)).rejects.toThrow(/manifest is missing or damaged/);
  expect(await readdir(given.DATA_DIR)).toEqual([]);
});

test(
  "a kill during a backup leaves nothing that looks complete, and the next backup works",
  { tags: "prove" },
  async () => {
    const before = await listBases(target);
    await killWhen("backup", [target], env, "Counting and hashing");
    expect(await listBases(target)).toEqual(before);
    expect((await readdir(join(target, "base"))).filter((name) => name.endsWith(".part"))).toHaveLength(1);
    const name = await backup(1);
    expect(await readdir(join(target, "base"))).toEqual([name]);
  },
);

test(
  "a kill during a restore leaves nothing that looks complete, and the same command works again",
  { tags: "prove" },
  async () => {
    const given = emptyPlace();
    await killWhen("restore", [target], given, "Recovering");
    expect(await readdir(given.DATA_DIR)).not.toContain("postgres");
    expect(await restore(given)).toMatchObject({ keptIn: null });
    expect((await readdir(given.DATA_DIR)).toSorted()).toEqual(["postgres", "secrets"]);
    const secret = (folder: string) => readFile(join(folder, "secrets", "session_secret"), "utf8");
    expect(await secret(given.DATA_DIR)).toBe(await secret(env["DATA_DIR"] ?? ""));
  },
);

test("after a kill while folders are replaced, the product waits until the restore is finished", async () => {
  const { DATA_DIR } = emptyPlace();
  for (const folder of ["postgres", "secrets", "restoring/postgres", "restoring/secrets"]) {
    await mkdir(join(DATA_DIR, folder), { recursive: true });
    await writeFile(join(DATA_DIR, folder, "of"), folder);
  }
  await writeFile(switchFile(DATA_DIR), JSON.stringify({ keptIn: "replaced" }));
  // Killed after the first of four renames.
  await mkdir(join(DATA_DIR, "replaced"));
  await rename(join(DATA_DIR, "secrets"), join(DATA_DIR, "replaced", "secrets"));
  const start = startDatabase(readConfig({ DATA_DIR }), pino({ level: "silent" }), quiet);
  await expect(start).rejects.toThrow(/restore into DATA_DIR was interrupted/);
  await finishSwitch(DATA_DIR);
  for (const [folder, content] of [
    ["postgres", "restoring/postgres"],
    ["secrets", "restoring/secrets"],
    ["replaced/postgres", "postgres"],
    ["replaced/secrets", "secrets"],
  ] as const)
    expect(await readFile(join(DATA_DIR, folder, "of"), "utf8")).toBe(content);
  expect(existsSync(join(DATA_DIR, "restoring"))).toBe(false);
});

test("a complete segment of the archive is checked by its hash", async () => {
  const [folder, name] = [join(place, "segments"), "000000010000000000000001"];
  await mkdir(folder);
  await writeFile(join(folder, name), "content");
  await writeFile(join(folder, `${name}.sha256`), createHash("sha256").update("content").digest("hex"));
  expect(await isSegmentIntact(folder, name)).toBe(true);
  await flipByte(join(folder, name));
  expect(await isSegmentIntact(folder, name)).toBe(false);
});

test("only the newest backups are kept, with the log that they need", async () => {
  const { source, name } = await copyOfTarget();
  const manifest = await openManifest(source, name);
  const first = parseLsn(manifest.startLsn);
  const [older, needed] = [first - manifest.segmentBytes, first].map((at) => segmentName(manifest, at));
  const wal = archiveFolder(source, 0);
  await mkdir(wal, { recursive: true });
  // The log of an installation without a base backup is useless.
  await mkdir(archiveFolder(source, 7));
  for (const file of [`${older}`, `${older}.sha256`, `${needed}`]) await writeFile(join(wal, file), "x");
  await mkdir(baseFolder(source, "2026-01-01T00-00-00Z"));
  expect(await removeOldBases(source, 1)).toEqual(["2026-01-01T00-00-00Z"]);
  expect(await readdir(wal)).toEqual([needed]);
  expect(await readdir(join(source, "wal"))).toEqual(["0"]);
  expect(await listBases(source)).toEqual([name]);
});

test("an archive that fails does not stop the database, catches up, and leaves no slot once it is unset", async () => {
  const given = { DATA_DIR: join(place, "data"), BACKUP_DIR: join(place, "failing") };
  await mkdir(given.BACKUP_DIR);
  await writeFile(join(given.BACKUP_DIR, "wal"), "in the way of a folder");
  const lines: string[] = [];
  const hear = { error: (line: string) => void lines.push(line), info: quiet, warn: quiet };
  const start = async (chosen: Record<string, string>) => {
    const parts: { stop(): Promise<void> }[] = [];
    const stop = async () => {
      for (const part of parts.splice(0).toReversed()) await part.stop();
    };
    onTestFinished(stop);
    const logger = Object.assign(pino({ level: "silent" }), hear);
    return { ...(await startDatabase(readConfig(chosen), logger, (part) => parts.push(part))), stop };
  };
  const slots = (db: Database) => sql`select from pg_replication_slots`.execute(db).then(({ rows }) => rows.length);

  const archived = await start(given);
  await until("a message", () => lines.some((line) => line.startsWith("the backup archive failed")));
  await archived.db.insertInto("setting").values({ name: "written", value: "1" }).execute();
  await rm(join(given.BACKUP_DIR, "wal"));
  await until("the archive", () => existsSync(join(archiveFolder(given.BACKUP_DIR, 0), "covered.json")));
  expect(await slots(archived.db)).toBe(1);
  await archived.stop();
  const plain = await start({ DATA_DIR: given.DATA_DIR });
  expect(await slots(plain.db)).toBe(0);
});
