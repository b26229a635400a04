// Backs up an embedded database of many counts while it is written to, and restores it to a chosen second, which it must equal by
// counts and hashes. `--counts 10000000 --limit-s 300`.
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import type pg from "pg";
import { pino } from "pino";
import { makeBackup } from "../../server/src/backup/base.service.ts";
import { sumTables } from "../../server/src/backup/base.store.ts";
import { withDatabase as withEmbedded } from "../../server/src/backup/database.adapter.ts";
import { compareTables } from "../../server/src/backup/manifest.rules.ts";
import { restoreBackup } from "../../server/src/backup/restore.service.ts";
import { readBackupConfig, readConfig } from "../../server/src/config.ts";
import { archiveFolder, readCovered } from "../../server/src/db/postgres/archive-folder.ts";
import { startDatabase } from "../../server/src/db/postgres/start-database.ts";
import { withDatabase } from "../database.ts";

const { values: flags } = parseArgs({
  options: { counts: { type: "string", default: "10000000" }, "limit-s": { type: "string", default: "300" } },
});
const counts = Number(flags.counts);
const limitS = Number(flags["limit-s"]);
const perSensor = 10_000;
const intervalMs = 300_000;
const tell = (text: string) => void process.stdout.write(`${text}\n`);

const place = await mkdtemp(join(tmpdir(), "psp-restore-"));
const target = join(place, "backup");
const env = { DATA_DIR: join(place, "data"), BACKUP_DIR: target, BACKUP_PASSPHRASE: "restore-campaign-passphrase" };

try {
  process.exitCode = await main();
} finally {
  await rm(place, { recursive: true, force: true, maxRetries: 30 });
}

/** Inserts counts of whole sensors, as records of five minutes until now. */
async function insertCounts(client: pg.Client, from: number, until: number): Promise<void> {
  const end = Math.floor(Date.now() / intervalMs) * intervalMs;
  await client.query(
    `insert into count_hot (start_ms, sensor_num, duration_ms, known_ms, n_in, n_out, line_no, osd, quality, is_ahead, over_pack)
     select $3::bigint - (n % $4::int + 1) * $5::bigint, n / $4::int, $5, $5, n % 97, n % 89, 1, 0, 0, false, false
     from generate_series($1::int, $2::int - 1) n`,
    [from, until, end, perSensor, intervalMs],
  );
}

async function main(): Promise<number> {
  const parts: { stop(): Promise<void> }[] = [];
  const log = pino({ level: "error" });
  const { url } = await startDatabase(readConfig(env), log, (part) => parts.push(part));
  const { at, expected } = await withDatabase(url, async (client) => {
    await insertCounts(client, 0, Math.floor(counts / 2));
    const began = performance.now();
    let isWriting = true;
    const backup = makeBackup(readBackupConfig(env), { target, keep: null, say: tell }).finally(
      () => (isWriting = false),
    );
    let written = Math.floor(counts / 2);
    for (; isWriting && written + 1_000 <= counts; written += 1_000)
      await insertCounts(client, written, written + 1_000);
    await backup;
    tell(`backup: ${seconds(began)} s while ${written - Math.floor(counts / 2)} counts were written`);
    if (written < counts) await insertCounts(client, written, counts);
    const sums = await sumTables(client);
    const chosen = new Date();
    while (Date.now() <= chosen.getTime() + 1) await wait(1);
    await insertCounts(client, counts, counts + perSensor);
    return { at: chosen, expected: sums };
  });
  while (new Date((await readCovered(archiveFolder(target, 0)))?.at ?? 0) <= at) await wait(100);
  for (const part of parts.toReversed()) await part.stop();

  const began = performance.now();
  await restoreBackup(readBackupConfig(env), { source: target, at, replace: true, env, say: tell });
  const tookS = seconds(began);
  const found = await withEmbedded(readBackupConfig(env), tell, (_, superuser) => withDatabase(superuser, sumTables));
  const differences = compareTables(
    expected.filter(({ name }) => name !== "setting"),
    found,
  );
  const machine = `${availableParallelism()} processors, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  tell(`restore of ${counts} counts to a chosen second: ${tookS} s of ${limitS} s (${machine})`);
  for (const difference of differences) tell(difference);
  return differences.length === 0 && tookS <= limitS ? 0 : 1;
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000);
}
