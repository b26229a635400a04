// Recovers a copied data folder with PostgreSQL from the WAL in its pg_wal folder.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stopOrphan, type PostgresLog } from "./postgres-orphan.ts";
import { findBinaries, prepareLaunch, stopRunning } from "./postgres-process.ts";
import { chooseRunner } from "./postgres-runner.ts";
import { withSuperuser } from "./start-database.ts";

export type RecoveryTarget = { point: string } | { at: Date } | "latest";

type Options = {
  dataDir: string;
  log: PostgresLog;
  /** Those of the server that wrote the WAL; a smaller one, such as for connections, prevents the recovery. */
  settings: Record<string, string>;
};

/** The WAL ends before the chosen time. */
export class TargetNotReachedError extends Error {}

const targetSettings = (target: RecoveryTarget): Record<string, string> => {
  if (target === "latest") return {};
  return "point" in target
    ? { recovery_target_name: target.point }
    : // PostgreSQL reads this setting before it knows the zone `Z`.
      { recovery_target_time: target.at.toISOString().replace("Z", "+00") };
};

/** Lets the user of PostgreSQL own the files, and asks for a recovery at the next start. */
export async function prepareRecovery(dataDir: string, files: readonly string[]): Promise<void> {
  await writeFile(path.join(dataDir, "recovery.signal"), "", { mode: 0o600 });
  const { initdb } = await findBinaries();
  const runner = await chooseRunner(dataDir, initdb);
  for (const file of [...files, "recovery.signal", "."]) await runner.own(path.join(dataDir, file));
}

/** Pauses at a restore point, and passes the URL of the superuser to `work`, which may only read. */
export async function readAtPoint<T>(options: Options, point: string, work: (url: string) => Promise<T>): Promise<T> {
  return recover(options, { point }, "pause", async (url) => {
    await withSuperuser(url, async (client) => {
      for (;;) {
        const { rows } = await client.query<{ state: string }>("select pg_get_wal_replay_pause_state() as state");
        if (rows[0]?.state === "paused") return;
        await delay(20);
      }
    });
    return work(url);
  });
}

/** Recovers up to the target, after which the folder holds an ordinary database. */
export async function recoverUntil(options: Options, target: RecoveryTarget): Promise<void> {
  await recover(options, target, "promote", async () => undefined);
}

async function recover<T>(
  { dataDir, log, settings }: Options,
  target: RecoveryTarget,
  action: "pause" | "promote",
  work: (url: string) => Promise<T>,
): Promise<T> {
  await stopOrphan(dataDir, log);
  const binaries = await findBinaries();
  const runner = await chooseRunner(dataDir, binaries.initdb);
  const recovery = {
    // All WAL is in pg_wal already, but PostgreSQL insists on a command.
    restore_command: "false",
    recovery_target_timeline: "current",
    recovery_target_action: action,
    // With `off`, PostgreSQL is ready only after the recovery.
    hot_standby: action === "pause" ? "on" : "off",
    ...targetSettings(target),
  };
  const { launch, urlOf, removeSocketDir } = await prepareLaunch({
    binaries,
    dataDir,
    runner,
    settings: { ...settings, ...recovery },
    log,
  });
  try {
    // Without a limit, because replaying much WAL takes long.
    const running = await launch({ limitMs: Infinity });
    try {
      return await work(urlOf("postgres", "postgres"));
    } finally {
      await stopRunning(running);
    }
  } catch (error) {
    if (error instanceof Error && error.message.includes("recovery ended before configured recovery target"))
      throw new TargetNotReachedError("The write-ahead log ends before the chosen time", { cause: error });
    throw error;
  } finally {
    await removeSocketDir();
  }
}
