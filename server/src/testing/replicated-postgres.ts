// Two PostgreSQL on TCP ports: a primary, and a hot standby that follows it by streaming replication.
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../db/connection/connect.ts";
import { findBinaries } from "../db/postgres/embedded-postgres.ts";
import { chooseRunner, spawnAs } from "../db/postgres/postgres-runner.ts";
import { until } from "./devices/device-world.ts";
import { findFreePorts } from "./free-ports.ts";

const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "log_min_messages=panic"];

export async function startReplicatedPostgres() {
  const { initdb, postgres } = await findBinaries();
  const folder = await mkdtemp(join(tmpdir(), "psp-replicated-"));
  await chmod(folder, 0o755);
  const [first, second] = [join(folder, "first"), join(folder, "second")];
  const runner = await chooseRunner(first, initdb);
  const [firstPort = 0, secondPort = 0] = await findFreePorts(2);
  const running: ReturnType<typeof spawnAs>[] = [];

  function run(data: string, port: number, more: string[] = []) {
    const args = [...settings, `port=${port}`, ...more].flatMap((setting) => ["-c", setting]);
    const child = spawnAs(runner, [postgres, "-D", data, ...args]);
    child.stdout.resume();
    child.stderr.resume();
    running.push(child);
    return child;
  }
  const urlOf = (port: number, database = "postgres") => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const untilAnswers = (port: number) =>
    until(`PostgreSQL at ${port}`, () =>
      connect(urlOf(port)).then(
        (client) => client.end().then(() => true),
        () => false,
      ),
    );

  await mkdir(first, { mode: 0o700 });
  await runner.own(first);
  const made = spawnAs(runner, [
    initdb,
    "-D",
    first,
    "-U",
    "postgres",
    "--auth=trust",
    "--encoding=UTF8",
    "--no-locale",
  ]);
  made.stdout.resume();
  made.stderr.resume();
  await once(made, "close");
  await cp(first, second, { recursive: true });
  await writeFile(join(second, "standby.signal"), "");
  await own(second);
  const primary = run(first, firstPort);
  await untilAnswers(firstPort);
  run(second, secondPort, [`primary_conninfo=host=127.0.0.1 port=${firstPort} user=postgres`]);
  await untilAnswers(secondPort);

  /** Copied files belong to the user of this process. */
  async function own(place: string): Promise<void> {
    const entries = await readdir(place, { recursive: true });
    for (const entry of ["", ...entries]) await runner.own(join(place, entry));
  }

  return {
    /** Names both hosts. */
    urlOf: (database: string) =>
      `postgres://postgres@127.0.0.1:${firstPort},127.0.0.1:${secondPort}/${database}?target_session_attrs=read-write`,
    firstUrl: urlOf(firstPort),
    secondUrlOf: (database: string) => urlOf(secondPort, database),
    /** Like a kill, without a checkpoint. */
    async killFirst() {
      primary.kill("SIGQUIT");
      await once(primary, "exit");
    },
    async promoteSecond() {
      const client = await connect(urlOf(secondPort));
      await client.query("select pg_promote()");
      await client.end();
    },
    async stop() {
      for (const child of running) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGQUIT");
        await once(child, "exit");
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
