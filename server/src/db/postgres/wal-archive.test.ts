// Tests the archive of a real PostgreSQL's WAL, also after it had to give up.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { until } from "../../testing/devices/device-world.ts";
import { readCovered } from "./archive-folder.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { withSuperuser } from "./start-database.ts";
import { parseLsn } from "./wal.ts";
import { startWalArchive } from "./wal-archive.ts";

const quiet = () => undefined;
let place: string;
let dataDir: string;
let postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "psp-archive-"));
  dataDir = join(place, "data", "postgres");
  const settings = { max_slot_wal_keep_size: "32MB", max_wal_size: "32MB", min_wal_size: "32MB" };
  postgres = await startEmbeddedPostgres({ dataDir, settings, log: { info: quiet, warn: quiet, error: quiet } });
});
afterAll(async () => {
  await postgres.stop();
  await rm(place, { recursive: true, force: true, maxRetries: 30 });
});

function archiveInto(folder: string) {
  const lines: string[] = [];
  const archive = startWalArchive({
    url: postgres.superuserUrl,
    dataDir,
    folder,
    log: { info: quiet, warn: quiet, error: (line) => void lines.push(line) },
  });
  onTestFinished(() => archive.stop());
  return { lines, stop: archive.stop };
}

const superuser = <T>(work: (client: pg.Client) => Promise<T>) => withSuperuser(postgres.superuserUrl, work);

/** Returns the name of the segment that was completed. */
async function completeSegment(client: pg.Client): Promise<string> {
  await client.query("select pg_logical_emit_message(true, 'test', 'content')");
  const { rows } = await client.query<{ name: string }>("select pg_walfile_name(pg_switch_wal()) as name");
  return rows[0]?.name ?? "";
}

test(
  "a completed segment is archived byte by byte with its hash, the rest at a clean stop",
  { tags: "prove" },
  async () => {
    const folder = join(place, "wal", "1");
    const archive = archiveInto(folder);
    await until("the first pass", async () => (await readdir(folder).catch(() => [])).length > 0);
    const name = await superuser(completeSegment);
    await until("the segment", async () => (await readdir(folder)).includes(`${name}.sha256`));
    const content = await readFile(join(folder, name));
    expect(content.equals(await readFile(join(dataDir, "pg_wal", name)))).toBe(true);
    expect(await readFile(join(folder, `${name}.sha256`), "utf8")).toBe(
      createHash("sha256").update(content).digest("hex"),
    );

    const lsn = await superuser(async (client) => {
      await client.query("select pg_logical_emit_message(true, 'test', 'last')");
      return (await client.query<{ lsn: string }>("select pg_current_wal_flush_lsn()::text as lsn")).rows[0]?.lsn ?? "";
    });
    await archive.stop();
    expect(parseLsn((await readCovered(folder))?.lsn ?? "0/0")).toBeGreaterThanOrEqual(parseLsn(lsn));
    expect(archive.lines).toEqual([]);
  },
);

test("an archive of another state of the database is not continued", { tags: "prove" }, async () => {
  const folder = join(place, "wal", "2");
  const first = archiveInto(folder);
  await until("the archive", async () => (await readCovered(folder)) !== null);
  await first.stop();
  const covered = await readCovered(folder);
  await writeFile(join(folder, "covered.json"), JSON.stringify({ ...covered, lsn: "FF/0" }));
  const second = archiveInto(folder);
  await until("a refusal", () => second.lines.some((line) => line.includes("belongs to another state")));
  expect((await readCovered(folder))?.lsn).toBe("FF/0");
});

test(
  "if too much WAL waits, PostgreSQL removes it, and the archive says that it has a gap",
  { tags: "prove" },
  async () => {
    const folder = join(place, "wal", "3");
    const first = archiveInto(folder);
    await until("the archive", async () => (await readCovered(folder)) !== null);
    await first.stop();
    await superuser(async (client) => {
      for (let n = 0; n < 8; n += 1) await completeSegment(client);
      await client.query("checkpoint");
    });
    const second = archiveInto(folder);
    await until("a message", () => second.lines.some((line) => line.includes("the backup archive has a gap")));
    const name = await superuser(completeSegment);
    await until("new segments", async () => (await readdir(folder)).includes(`${name}.sha256`));
  },
);
