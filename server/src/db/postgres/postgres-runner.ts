// Chooses the system user for the embedded PostgreSQL, which refuses to run as root but must reach its programs and data.

import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import { chown, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Readable, Writable } from "node:stream";

type User = { uid: number; gid: number };

export type Runner = {
  prefix: string[];
  user: User | null;
  own(folder: string): Promise<void>;
};

const OURSELVES: Runner = { prefix: [], user: null, own: async () => undefined };

/**
 * Returns the current user. For root, returns an unprivileged user who can reach both paths. If private folders (mode 0700) exclude
 * all such users, PostgreSQL gets the capability to read through them, so that the folders stay private.
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

/** Passes no secrets of the server in the environment. */
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
  // PostgreSQL checks its programs with access(), which would ignore the capability without this bit.
  const honest = ["--securebits", "+no_setuid_fixup"];
  return { ...runner, prefix: ["setpriv", ...identity, ...rights, ...honest, "--"] };
}

/** Runs a program as this user to find out, because access lists, groups and container limits all matter. */
function canReach(runner: Runner, dataDir: string, initdb: string): boolean {
  // `initdb --show` only prints settings, but it first looks for the server binary beside itself.
  const script = 'cd "$1" && "$2" --show --pgdata="$1"';
  const [command, ...args] = [...runner.prefix, "/bin/sh", "-c", script, "sh", path.dirname(dataDir), initdb];
  const user = runner.prefix.length === 0 ? runner.user : {};
  return spawnSync(command, args, { ...user, cwd: "/", env: cleanEnvironment(), stdio: "ignore" }).status === 0;
}

/** Returns the owner of existing data. Without data, returns the parent folder's owner, the system's database user, and `nobody`. */
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
