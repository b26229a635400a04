// Decides as whom the embedded PostgreSQL runs: it refuses root, yet must reach its programs and its data.

import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import { chown, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Readable, Writable } from "node:stream";

type User = { uid: number; gid: number };

export type Runner = {
  /** Program and arguments to put before a command. */
  prefix: string[];
  /** Null: as ourselves. */
  user: User | null;
  /** Gives a folder to that user. */
  own(folder: string): Promise<void>;
};

const OURSELVES: Runner = { prefix: [], user: null, own: async () => undefined };

/**
 * Ourselves, or when we are root an unprivileged user who can reach both places. Where private folders (mode 0700) bar
 * every such user, PostgreSQL gets the one capability to pass and read through them instead of the folders being opened.
 */
export async function chooseRunner(dataDir: string, initdb: string): Promise<Runner> {
  if (process.getuid?.() !== 0) return OURSELVES;
  const users = await unprivilegedUsers(dataDir);
  const runners = users.map((user): Runner => ({
    prefix: [],
    user,
    own: (folder) => chown(folder, user.uid, user.gid),
  }));
  const open = runners.find((runner) => canReach(runner, dataDir, initdb));
  if (open !== undefined) return open;
  for (const capability of ["dac_read_search", "dac_override"]) {
    const privileged = runners.map((runner) => withCapability(runner, capability));
    const found = privileged.find((runner) => canReach(runner, dataDir, initdb));
    if (found !== undefined) return found;
  }
  throw new Error(
    `PostgreSQL cannot run as root, and no other user can reach ${path.dirname(dataDir)} and ${path.dirname(initdb)}: ` +
      "start as an ordinary user, put the program and DATA_DIR into folders that others may pass, or set DATABASE_URL",
  );
}

/** Starts a command as the runner's user, with an environment that holds none of our secrets. */
export function spawnAs(
  runner: Runner,
  command: string[],
  { ownSession = false } = {},
): ChildProcessByStdio<Writable, Readable, Readable> {
  const [program = "", ...args] = [...runner.prefix, ...command];
  const child = spawn(program, args, {
    ...(runner.prefix.length === 0 ? runner.user : {}),
    cwd: "/",
    detached: ownSession,
    env: cleanEnvironment(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A pipe to a program that is gone is no error of ours.
  child.stdin.on("error", () => undefined);
  return child;
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" };
}

function withCapability(runner: Runner, capability: string): Runner {
  const { uid, gid } = runner.user ?? { uid: 0, gid: 0 };
  const identity = ["--reuid", String(uid), "--regid", String(gid), "--clear-groups"];
  const rights = ["--inh-caps", `+${capability}`, "--ambient-caps", `+${capability}`];
  // Without this bit access() would still ask for the plain user's rights, and PostgreSQL checks its programs by it.
  const honest = ["--securebits", "+no_setuid_fixup"];
  return { ...runner, prefix: ["setpriv", ...identity, ...rights, ...honest, "--"] };
}

/** Tried out instead of worked out: access lists, groups and container limits all count. */
function canReach(runner: Runner, dataDir: string, initdb: string): boolean {
  // Shows its settings only, after looking for the server beside itself.
  const script = 'cd "$1" && "$2" --show --pgdata="$1"';
  const [command, ...args] = [...runner.prefix, "/bin/sh", "-c", script, "sh", path.dirname(dataDir), initdb];
  const user = runner.prefix.length === 0 ? runner.user : {};
  return spawnSync(command, args, { ...user, cwd: "/", env: cleanEnvironment(), stdio: "ignore" }).status === 0;
}

/** The user who owns the data already; else the owner of the place, the system's database user, and `nobody`. */
async function unprivilegedUsers(dataDir: string): Promise<User[]> {
  const owner = await ownerOf(dataDir);
  if (owner !== null && owner.uid !== 0) return [owner];
  const passwd = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n").map((line) => line.split(":"));
  const named = ["postgres", "nobody"].flatMap((name) => {
    const row = passwd.find((fields) => fields[0] === name);
    return row ? [{ uid: Number(row[2]), gid: Number(row[3]) }] : [];
  });
  const place = await ownerOf(path.dirname(dataDir));
  return [...(place ? [place] : []), ...named, { uid: 65_534, gid: 65_534 }].filter((user) => user.uid > 0);
}

async function ownerOf(folder: string): Promise<User | null> {
  const found = await stat(folder).catch(() => null);
  return found && { uid: found.uid, gid: found.gid };
}
