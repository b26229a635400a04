// Three databases of a cluster: etcd, Patroni, PostgreSQL and pgBackRest on each node, from the configuration in deploy/.
import { chownSync, statSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { exited, type Network, type NodeName } from "./network.ts";
import { clusterPassword, fill, findPostgres, idOf, makeFolder } from "./parts.ts";

/** See `deploy/patroni/patroni.yml`. */
function isLockSafe(): boolean {
  const [major = 0, minor = 0, patch = 0] = execFileSync("patroni", ["--version"], { encoding: "utf8" })
    .replace(/[^\d.]/g, "")
    .split(".")
    .map(Number);
  return major * 10_000 + minor * 100 + patch > 40_006;
}

export function startEtcd(network: Network, nodes: readonly NodeName[], dataDir: string): void {
  const peers = nodes.map((name) => `${name}=http://${network.addressOf(name)}:2380`).join(",");
  for (const name of nodes) {
    const own = `http://${network.addressOf(name)}`;
    network.run(name, [
      "etcd",
      `--name=${name}`,
      `--data-dir=${join(dataDir, `etcd-${name}`)}`,
      `--listen-peer-urls=${own}:2380`,
      `--initial-advertise-peer-urls=${own}:2380`,
      `--listen-client-urls=${own}:2379`,
      `--advertise-client-urls=${own}:2379`,
      `--initial-cluster=${peers}`,
      "--initial-cluster-state=new",
      "--enable-v2",
      "--log-level=error",
    ]);
  }
}

/** Without refused connections and aborted health checks, of which there are many. */
const tellingLines = (text: string) =>
  text
    .split("\n")
    .filter((line) => /^\d{4}-/.test(line) && !/is starting up|Exception happened|Traceback/.test(line))
    .slice(-100)
    .join("\n");

/** In bytes. */
const maxLag = 1_048_576;
const stuckAfterMs = 60_000;
/** What PostgreSQL repeats if it waits in vain for the log of a former timeline. */
const waitsInVain = "waiting for WAL to become available";
/** Patroni before version 3 calls it "running". */
const isRunning = (state: string) => ["running", "streaming"].includes(state);

export type Databases = {
  /** Starts Patroni on a node, which starts PostgreSQL. */
  start(name: NodeName): void;
  /** Stops both. */
  stop(name: NodeName): Promise<void>;
  /** Runs a program there as PostgreSQL's user, and throws what it wrote if it fails. */
  run(name: NodeName, ...command: string[]): Promise<void>;
  /** PostgreSQL's folder there. */
  dataOf(name: NodeName): string;
  /** Patroni's configuration there. */
  configOf(name: NodeName): string;
  leader(): Promise<NodeName | null>;
  /** Resolves with the leader once it accepts writes. */
  untilLeader(limitMs: number, other?: NodeName): Promise<NodeName>;
  /** Resolves with the timeline of the leader once it is above `after`. Each promotion raises it, also of the former leader. */
  untilTimeline(limitMs: number, after: number): Promise<number>;
  /**
   * Resolves when all nodes run and follow the leader, so that the next failover is possible. Restarts Patroni on a standby that waits in
   * vain, as docs/operations.md says; returns how often.
   */
  untilWhole(limitMs: number): Promise<number>;
  /** With all hosts. */
  url: string;
};

type Options = { isSynchronous: boolean };

export function createDatabases(
  network: Network,
  nodes: readonly NodeName[],
  dataDir: string,
  options: Options,
): Databases {
  const programs = createPrograms(network, nodes, dataDir, options);
  const { leader, timeline, isWhole, findStuck, describe } = createStatus(network, nodes, options);

  async function until<T>(limitMs: number, what: string, find: () => Promise<T | null>): Promise<T> {
    const from = performance.now();
    for (;;) {
      const found = await find();
      if (found !== null) return found;
      if (performance.now() - from > limitMs) throw new Error(`${what} within ${limitMs} ms\n${await describe()}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  return {
    ...programs,
    leader,
    untilTimeline: (limitMs, after) =>
      until(limitMs, `No timeline after ${after}`, async () => {
        const found = await timeline();
        return found > after ? found : null;
      }),
    untilLeader: (limitMs, other) =>
      until(limitMs, "No leader", async () => {
        const found = await leader();
        return found === other ? null : found;
      }),
    async untilWhole(limitMs) {
      let restarts = 0;
      let restartAt = performance.now() + stuckAfterMs;
      await until(limitMs, "Not all databases run", async () => {
        if (await isWhole()) return true;
        if (performance.now() < restartAt) return null;
        for (const name of await findStuck()) {
          await programs.stop(name);
          programs.start(name);
          restarts += 1;
        }
        restartAt = performance.now() + stuckAfterMs;
        return null;
      });
      return restarts;
    },
    url: `postgres://postgres:${clusterPassword}@${nodes.map((name) => `${network.addressOf(name)}:5432`).join(",")}/psp?target_session_attrs=read-write`,
  };
}

/** Configures and runs Patroni, and other programs with its identity. */
function createPrograms(
  network: Network,
  nodes: readonly NodeName[],
  dataDir: string,
  { isSynchronous }: Options,
): Pick<Databases, "start" | "stop" | "run" | "dataOf" | "configOf"> {
  const folder = makeFolder(join(dataDir, "patroni"), "postgres");
  const repository = makeFolder(join(folder, "repository"), "postgres");
  const configOf = (name: NodeName) => join(folder, `${name}.yml`);
  const dataOf = (name: NodeName) => join(folder, name);
  const archiveFileOf = (name: NodeName) => join(folder, `${name}-pgbackrest.conf`);
  for (const name of nodes) {
    const values = {
      NODE: name,
      ADDRESS: network.addressOf(name),
      ETCD_HOSTS: nodes.map((one) => `${network.addressOf(one)}:2379`).join(","),
      NETWORK: network.range,
      SYNCHRONOUS: String(isSynchronous),
      MAXIMUM_LAG: String(isSynchronous ? 1_048_576 : 1_073_741_824),
      PASSWORD: clusterPassword,
      BIN_DIR: findPostgres() ?? "",
      DATA_DIR: dataOf(name),
      SOCKET_DIR: makeFolder(join(folder, `${name}-socket`), "postgres"),
      REPOSITORY: repository,
    };
    writeFileSync(archiveFileOf(name), fill("pgbackrest/pgbackrest.conf", values));
    const text = fill("patroni/patroni.yml", values);
    writeFileSync(configOf(name), isLockSafe() ? text : text.replace("\netcd3:", "\netcd:"));
    chownSync(configOf(name), idOf("postgres", "-u"), statSync(folder).gid);
  }

  function runAsPostgres(name: NodeName, ...command: string[]) {
    // The nodes share this machine, but pgBackRest expects a machine of its own.
    const own = makeFolder(join(folder, `${name}-pgbackrest`), "postgres");
    const paths = { PGBACKREST_LOG_PATH: own, PGBACKREST_LOCK_PATH: own, PGBACKREST_SPOOL_PATH: own };
    return network.run(name, command, { HOME: folder, PGBACKREST_CONFIG: archiveFileOf(name), ...paths }, "postgres");
  }

  const started = new Map<NodeName, ReturnType<Network["run"]>>();
  return {
    start: (name) => void started.set(name, runAsPostgres(name, "patroni", configOf(name))),
    async stop(name) {
      const patroni = started.get(name);
      patroni?.kill("SIGTERM");
      if (patroni) await exited(patroni);
    },
    async run(name, ...command) {
      const child = runAsPostgres(name, ...command);
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => void (output += String(chunk)));
      // Not until its output is closed, because a server that it started may keep that open.
      const [code] = (await once(child, "exit")) as [number | null];
      if (code !== 0) throw new Error(`${command.join(" ")} on ${name} ended with ${code}:\n${output}`);
    },
    dataOf,
    configOf,
  };
}

type Member = { name: NodeName; role: string; state: string; lag?: number | string; timeline?: number };

/** What Patroni says about the nodes. Answers may be late on a busy machine, and then count as none. */
function createStatus(network: Network, nodes: readonly NodeName[], { isSynchronous }: Options) {
  const ask = (name: NodeName, path: string) =>
    fetch(`http://${network.addressOf(name)}:8008/${path}`, { signal: AbortSignal.timeout(1_000) });

  async function leader(): Promise<NodeName | null> {
    const asked = nodes.map(async (name) => {
      if (!(await ask(name, "primary")).ok) throw new Error("no leader");
      return name;
    });
    return Promise.any(asked).catch(() => null);
  }
  const membersBy = async (name: NodeName) =>
    ((await (await ask(name, "cluster")).json()) as { members: Member[] }).members;
  /** As the leader sees them. */
  async function members(): Promise<Member[]> {
    const found = await leader();
    return found === null ? [] : membersBy(found).catch(() => []);
  }

  return {
    leader,
    /** 0 while there is no leader. */
    timeline: async () => (await members()).find(({ role }) => role === "leader")?.timeline ?? 0,
    async isWhole(): Promise<boolean> {
      const following = (await members()).filter(
        ({ role, state, lag }) => role !== "leader" && isRunning(state) && Number(lag) < maxLag,
      );
      const hasStandby = !isSynchronous || following.some(({ role }) => role === "sync_standby");
      return following.length === nodes.length - 1 && hasStandby;
    },
    async findStuck(): Promise<NodeName[]> {
      const starting = (await members()).filter(({ state }) => state === "starting").map(({ name }) => name);
      return starting.filter((name) => network.outputOf(name).slice(-20_000).split(waitsInVain).length > 5);
    },
    async describe(): Promise<string> {
      const seen = await Promise.all(nodes.map((name) => membersBy(name).catch(String)));
      const outputs = nodes.map((name) => `${name}:\n${tellingLines(network.outputOf(name))}`);
      return [JSON.stringify(seen), ...outputs].join("\n");
    },
  };
}
