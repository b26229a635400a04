// Runs the bundled PostgreSQL as a child process, so that a fresh clone needs no database of its own.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { claimDataDir, stopOrphan, type PostgresLog } from "./postgres-orphan.ts";
import {
  collect,
  findBinaries,
  launchRetrying,
  prepareLaunch,
  type Running,
  SOCKET_DIR,
  stopRunning,
} from "./postgres-process.ts";
import { chooseRunner, type Runner, spawnAs } from "./postgres-runner.ts";

type Options = {
  dataDir: string;
  log: PostgresLog;
  settings?: Record<string, string>;
};

const MAX_PAUSE_MS = 5_000;

/**
 * Starts PostgreSQL on `dataDir`. If PostgreSQL dies, restarts it at the same address after at most 5 s. Throws a readable Error if
 * another live process uses the folder or the start fails.
 */
export async function startEmbeddedPostgres({ dataDir: givenDir, log, settings = {} }: Options) {
  const dataDir = path.resolve(givenDir);
  const binaries = await findBinaries();
  await mkdir(path.dirname(dataDir), { recursive: true });
  const release = await claimDataDir(dataDir);
  try {
    const runner = await chooseRunner(dataDir, binaries.initdb);
    const oldSocketDir = await stopOrphan(dataDir, log);
    if (path.basename(oldSocketDir ?? "").startsWith(SOCKET_DIR))
      await rm(oldSocketDir ?? "", { recursive: true, force: true });
    await initialize(dataDir, binaries.initdb, runner);
    const { launch, urlOf, removeSocketDir } = await prepareLaunch({ binaries, dataDir, runner, settings, log });
    const keeper = keepRunning(await launchRetrying(launch), launch, dataDir, log);
    // Valid only for this start and stored nowhere.
    const secret = randomBytes(24).toString("base64url");
    const stop = async () => {
      await keeper.stop();
      await removeSocketDir();
      await release();
    };
    try {
      await ensureDatabase(urlOf("postgres", "postgres"), secret);
    } catch (error) {
      await stop();
      throw error;
    }
    return {
      /** Connects as the server's role, which owns its database and is not a superuser. */
      url: urlOf(`psp:${secret}`, "psp"),
      superuserUrl: urlOf("postgres", "postgres"),
      /** Fast shutdown with a checkpoint. After 4 s, an immediate one, which is crash-safe. */
      stop,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Creates the cluster in a sibling folder and renames it, so that a kill leaves no incomplete cluster. */
async function initialize(dataDir: string, initdb: string, runner: Runner): Promise<void> {
  if (await stat(path.join(dataDir, "PG_VERSION")).catch(() => null)) return;
  const draft = `${dataDir}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await runner.own(draft);
  const args = ["-D", draft, "-U", "postgres", "--auth=reject", "--encoding=UTF8", "--locale-provider=builtin"];
  const child = spawnAs(runner, [initdb, ...args, "--locale=C.UTF-8", "--no-instructions"]);
  const output = collect(child);
  child.stdin.end();
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`initdb failed: ${output.errors().trim()}`);
  await rm(dataDir, { recursive: true, force: true });
  await rename(draft, dataDir);
}

function keepRunning(
  first: Running,
  launch: () => Promise<Running>,
  dataDir: string,
  log: PostgresLog,
): { stop(): Promise<void> } {
  let stopping = false;
  const wake = new AbortController();
  let current = first;

  async function keep(): Promise<void> {
    let pauseMs = 0;
    let startedAt = Date.now();
    while (!stopping) {
      if (current.child.exitCode === null && current.child.signalCode === null) await once(current.child, "exit");
      if (stopping) return;
      pauseMs = Date.now() - startedAt > 30_000 ? 0 : Math.min(Math.max(pauseMs * 2, 50), MAX_PAUSE_MS);
      log.error(`PostgreSQL has died; starting it again in ${pauseMs} ms`);
      // Ends the rest of a half-killed process group.
      current.child.stdin.destroy();
      await delay(pauseMs, undefined, { signal: wake.signal }).catch(() => undefined);
      if (stopping) return;
      startedAt = Date.now();
      try {
        await stopOrphan(dataDir, log);
        current = await launchRetrying(launch);
        log.info("PostgreSQL is back");
      } catch (error) {
        log.error(error instanceof Error ? error.message : String(error));
      }
    }
  }

  const kept = keep();
  return {
    async stop() {
      stopping = true;
      wake.abort();
      await stopRunning(current);
      await kept;
      // A restart that was in progress may have started a newer process.
      await stopRunning(current);
    },
  };
}

/** The server's role owns its database but can't read files or start programs through SQL. */
async function ensureDatabase(superuserUrl: string, secret: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ role: boolean; base: boolean }>(
      `select exists (select from pg_roles where rolname = 'psp') as role,
              exists (select from pg_database where datname = 'psp') as base`,
    );
    if (!rows[0]?.role) await client.query("create role psp login");
    await client.query(`alter role psp password ${pg.escapeLiteral(secret)}`);
    if (!rows[0]?.base) await client.query("create database psp owner psp");
  } finally {
    await client.end();
  }
}
