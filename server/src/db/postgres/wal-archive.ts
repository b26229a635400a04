// Copies the WAL of the embedded PostgreSQL into BACKUP_DIR as it is written, so that a restore can reach any second
// (docs/rules/backup.md#continuous-archive).
import { createHash, type Hash } from "node:crypto";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { writeDurably } from "../../kit/backup/durable-file.ts";
import { walArchiveState } from "../../kit/backup/archive-state.ts";
import { type Covered, newestBaseAt, readCovered } from "./archive-folder.ts";
import type { PostgresLog } from "./postgres-orphan.ts";
import { parseLsn, segmentName } from "./wal.ts";

const slot = "psp_archive";
const passEveryMs = 1_000;
const maxPauseMs = 30_000;
const stopLimitMs = 2_000;
const chunkBytes = 1024 * 1024;

/** Limits the WAL that waits for a failing archive, so that it cannot fill the disk of the database. */
export const archiveSettings = { max_slot_wal_keep_size: "4GB" };

/** `folder`: where this installation's segments go; `url`: of the superuser. */
type Options = { url: string; dataDir: string; folder: string; log: PostgresLog };

type Progress = { position: number; file: FileHandle | null; hash: Hash };

/** Copies the WAL that was written since the last pass. After an error call `reset`; the next pass then starts from the slot. */
function createCopier({ url, dataDir, folder, log }: Options) {
  let client: pg.Client | null = null;
  let progress: Progress | null = null;
  let lastSeenAt: string | null = null;

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({ connectionString: url, application_name: "ps-platform backup" });
    fresh.on("error", () => undefined);
    await fresh.connect();
    return fresh;
  }

  /** Begins with the oldest segment that was not archived completely. */
  async function resume(on: pg.Client, seen: Position): Promise<Progress> {
    const covered = await readCovered(folder);
    if (covered && (covered.systemId !== seen.systemId || parseLsn(covered.lsn) > parseLsn(seen.lsn)))
      throw new Error(`${folder} belongs to another state of the database. Move it away, and make a new backup`);
    const from = await ensureSlot(on, log);
    const position = Math.floor(from / seen.segmentBytes) * seen.segmentBytes;
    return { position, file: null, hash: createHash("sha256") };
  }

  async function copyUntil(on: pg.Client, at: Progress, seen: Position): Promise<void> {
    const end = parseLsn(seen.lsn);
    while (at.position < end) {
      const name = segmentName(seen, at.position);
      const segmentEnd = (Math.floor(at.position / seen.segmentBytes) + 1) * seen.segmentBytes;
      const target = path.join(folder, name);
      at.file ??= await openForWriting(target);
      const source = await open(path.join(dataDir, "pg_wal", name), "r");
      try {
        await copyRange(source, at, Math.min(end, segmentEnd), seen.segmentBytes);
      } finally {
        await source.close();
      }
      await at.file.sync();
      if (at.position < segmentEnd) return;
      await at.file.close();
      await writeDurably(`${target}.sha256`, at.hash.digest("hex"));
      await on.query("select pg_replication_slot_advance($1, $2)", [slot, toLsn(segmentEnd)]);
      Object.assign(at, { file: null, hash: createHash("sha256") });
    }
  }

  return {
    /** Returns until which time everything is archived; null in the first pass. */
    async pass(): Promise<string | null> {
      client ??= await connect();
      const seen = await readPosition(client);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      progress ??= await resume(client, seen);
      await copyUntil(client, progress, seen);
      // The time of the pass before, because a commit takes its time a little before it reaches the log.
      const at = lastSeenAt;
      lastSeenAt = seen.at;
      if (at === null) return null;
      const covered: Covered = { at, lsn: seen.lsn, systemId: seen.systemId };
      await writeDurably(path.join(folder, "covered.json"), JSON.stringify(covered));
      return at;
    },
    async reset(): Promise<void> {
      await progress?.file?.close().catch(() => undefined);
      progress = null;
      lastSeenAt = null;
      await client?.end().catch(() => undefined);
      client = null;
    },
  };
}

export function startWalArchive(options: Options) {
  const { folder, log } = options;
  const copier = createCopier(options);
  const stopping = new AbortController();
  const state = { coveredAt: Date.now(), baseAt: null as number | null, failures: 0 };
  walArchiveState.set(state);

  async function pass(): Promise<void> {
    const coveredAt = await copier.pass();
    if (coveredAt !== null) state.coveredAt = Date.parse(coveredAt);
    state.baseAt = await newestBaseAt(folder);
  }

  async function run(): Promise<void> {
    let pauseMs = passEveryMs;
    while (!stopping.signal.aborted) {
      try {
        await pass();
        if (pauseMs > passEveryMs) log.info("the backup archive works again");
        pauseMs = passEveryMs;
      } catch (error) {
        await copier.reset();
        state.failures += 1;
        pauseMs = Math.min(pauseMs * 2, maxPauseMs);
        log.error(`the backup archive failed, next try in ${pauseMs / 1000} s: ${toMessage(error)}`);
      }
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    // Two passes, because the second covers the time of the first.
    await pass()
      .then(pass)
      .catch((error: unknown) => log.error(`the backup archive lacks the last changes: ${toMessage(error)}`));
    await copier.reset();
    walArchiveState.set(null);
  }

  const running = run();
  return {
    /** Archives the last changes. Gives up after 2 s, because a disk that hangs must not delay the end of the process. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.race([running, delay(stopLimitMs, undefined, { ref: false })]);
    },
  };
}

/** Lets PostgreSQL remove its WAL again after BACKUP_DIR was unset. */
export async function dropArchiveSlot(client: pg.Client): Promise<void> {
  await client.query("select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1", [
    slot,
  ]);
}

type Position = { at: string; lsn: string; systemId: string; timeline: number; segmentBytes: number };

async function readPosition(client: pg.Client): Promise<Position> {
  const { rows } = await client.query<Omit<Position, "at"> & { at: Date }>(
    `select clock_timestamp() as at, pg_current_wal_flush_lsn()::text as lsn, system_identifier::text as "systemId",
       ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int as timeline,
       (select setting::int from pg_settings where name = 'wal_segment_size') as "segmentBytes"
     from pg_control_system()`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("PostgreSQL did not report its position");
  return { ...row, at: row.at.toISOString() };
}

/** The slot keeps WAL that is not archived. Returns where its first segment begins. */
async function ensureSlot(client: pg.Client, log: PostgresLog): Promise<number> {
  const { rows } = await client.query<{ lsn: string | null; isLost: boolean }>(
    `select restart_lsn::text as lsn, wal_status = 'lost' as "isLost" from pg_replication_slots where slot_name = $1`,
    [slot],
  );
  const [kept] = rows;
  if (kept?.lsn && !kept.isLost) return parseLsn(kept.lsn);
  if (kept) {
    log.error(
      "the backup archive has a gap, because PostgreSQL had to remove WAL: make a new backup with `npm run backup`",
    );
    await dropArchiveSlot(client);
  }
  const made = await client.query<{ lsn: string }>(
    "select lsn::text from pg_create_physical_replication_slot($1, true)",
    [slot],
  );
  return parseLsn(made.rows[0]?.lsn ?? "0/0");
}

/** Keeps the content, so that a segment that is copied again never gets shorter. */
async function openForWriting(file: string): Promise<FileHandle> {
  try {
    return await open(file, "r+");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return open(file, "wx+", 0o600);
  }
}

async function copyRange(source: FileHandle, at: Progress, end: number, segmentBytes: number): Promise<void> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  while (at.position < end) {
    const offset = at.position % segmentBytes;
    const { bytesRead } = await source.read(buffer, 0, Math.min(chunkBytes, end - at.position), offset);
    if (bytesRead === 0) throw new Error("a WAL segment is shorter than expected");
    const bytes = buffer.subarray(0, bytesRead);
    await writeAll(at.file, bytes, offset);
    at.hash.update(bytes);
    at.position += bytesRead;
  }
}

async function writeAll(file: FileHandle | null, bytes: Buffer, offset: number): Promise<void> {
  let done = 0;
  while (file !== null && done < bytes.length)
    done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
}

function toLsn(position: number): string {
  return `${Math.floor(position / 2 ** 32).toString(16)}/${(position % 2 ** 32).toString(16)}`.toUpperCase();
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
