// PostgreSQL on TCP ports, which accepts every login from this machine: alone, or a primary with a hot standby that follows it.
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../db/connection/connect.ts";
import { findBinaries } from "../../db/postgres/postgres-process.ts";
import { chooseRunner, spawnAs } from "../../db/postgres/postgres-runner.ts";
import { until } from "../devices/device-world.ts";
import { findFreePorts } from "../free-ports.ts";

const base = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "log_min_messages=panic"];

const urlOf = (port: number, database = "postgres") => `postgres://postgres@127.0.0.1:${port}/${database}`;

/** A folder with a new cluster in `first`, and a function that runs PostgreSQL on a cluster of the folder. */
async function createCluster() {
  const { initdb, postgres } = await findBinaries();
  const folder = await mkdtemp(join(tmpdir(), "psp-cluster-"));
  await chmod(folder, 0o755);
  const first = join(folder, "first");
  const runner = await chooseRunner(first, initdb);
  const running: ReturnType<typeof spawnAs>[] = [];
  await mkdir(first, { mode: 0o700 });
  await runner.own(first);
  const options = ["-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale"];
  const made = spawnAs(runner, [initdb, "-D", first, ...options]);
  made.stdout.resume();
  made.stderr.resume();
  await once(made, "close");
  return {
    folder,
    first,
    /** Files that this process wrote. */
    async own(place: string): Promise<void> {
      for (const entry of ["", ...(await readdir(place, { recursive: true }))]) await runner.own(join(place, entry));
    },
    async run(data: string, port: number, more: string[] = []) {
      const args = [...base, `port=${port}`, ...more].flatMap((setting) => ["-c", setting]);
      const child = spawnAs(runner, [postgres, "-D", data, ...args]);
      child.stdout.resume();
      child.stderr.resume();
      running.push(child);
      await until(`PostgreSQL at ${port}`, () =>
        connect(urlOf(port)).then(
          (client) => client.end().then(() => true),
          () => false,
        ),
      );
      return child;
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

/** With TLS. `prepare` writes `server.crt` and `server.key` into the folder. */
export async function startTlsPostgres(prepare: (folder: string) => Promise<void>) {
  const { first, own, run, stop } = await createCluster();
  const [port = 0] = await findFreePorts(1);
  await prepare(first);
  await own(first);
  await run(first, port, ["ssl=on"]);
  return { port, folder: first, stop };
}

/** `settings`: of both servers. */
export async function startReplicatedPostgres(settings: string[] = []) {
  const { folder, first, own, run, stop } = await createCluster();
  const second = join(folder, "second");
  const [firstPort = 0, secondPort = 0] = await findFreePorts(2);
  await cp(first, second, { recursive: true });
  await writeFile(join(second, "standby.signal"), "");
  await own(second);
  const primary = await run(first, firstPort, settings);
  const startSecond = () =>
    run(second, secondPort, [...settings, `primary_conninfo=host=127.0.0.1 port=${firstPort} user=postgres`]);
  let standby = await startSecond();

  return {
    /** Names both hosts. */
    urlOf: (database: string) =>
      `postgres://postgres@127.0.0.1:${firstPort},127.0.0.1:${secondPort}/${database}?target_session_attrs=read-write`,
    firstUrl: urlOf(firstPort),
    firstUrlOf: (database: string) => urlOf(firstPort, database),
    secondUrlOf: (database: string) => urlOf(secondPort, database),
    /** Like a kill, without a checkpoint. */
    async killFirst() {
      primary.kill("SIGQUIT");
      await once(primary, "exit");
    },
    async killSecond() {
      standby.kill("SIGQUIT");
      await once(standby, "exit");
    },
    async startSecond() {
      standby = await startSecond();
    },
    async promoteSecond() {
      const client = await connect(urlOf(secondPort));
      await client.query("select pg_promote()");
      await client.end();
    },
    stop,
  };
}
