// An installation on thirteen nodes: three databases with Patroni, etcd and pgBackRest, HAProxy, PgBouncer, NATS, Mosquitto on request, three
// processes with all parts, which also read from the standbys and of which one uses PgBouncer, and three gateways.
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { admin } from "../product.ts";
import { createNetwork, exited, type Network, type NodeName } from "./network.ts";
import { createDatabases, type Databases, startEtcd } from "./databases.ts";
import { clusterPassword, findPostgres, startHaproxy, startMosquitto, startNats, startPgBouncer } from "./parts.ts";

export const nodes = {
  databases: ["db1", "db2", "db3"],
  processes: ["app1", "app2", "app3"],
  gateways: ["gw1", "gw2", "gw3"],
  balancer: "lb",
  bus: "bus",
  pooler: "pool",
  broker: "broker",
} as const;
/** Reaches the database through PgBouncer. */
const pooled: NodeName = "app3";

const programs = ["ip", "setpriv", "etcd", "patroni", "haproxy", "pgbouncer", "pgbackrest", "nats-server", "mosquitto"];
const root = join(import.meta.dirname, "../..");
const startsWithinMs = 120_000;
const metricsToken = "metrics-lantern-harbour";

/** Why this machine can't run it; null if it can. */
export function findMissing(): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "network namespaces need root on Linux";
  const absent = programs.filter((program) => !isInstalled(program));
  if (absent.length > 0) return `these programs are not installed: ${absent.join(", ")}`;
  return findPostgres() === null ? "PostgreSQL is not installed" : null;
}

function isInstalled(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export type Installation = {
  network: Network;
  databases: Databases;
  dataDir: string;
  url: string;
  mqttHost: string;
  mqttPort: number;
  /** Starts a process of the product on this node, and resolves once it is ready. `code`: the folder of another version. */
  startProcess(name: NodeName, code?: string): Promise<void>;
  /** Sends SIGTERM, and resolves once the process has ended. */
  stopProcess(name: NodeName): Promise<void>;
  untilReady(name: NodeName): Promise<void>;
  /** Reads that standbys have answered since the processes started. */
  countStandbyReads(): Promise<number>;
  startBus(): void;
  startPooler(): void;
  /** Only with an external broker. */
  startBroker(): void;
  end(): Promise<void>;
};

type Options = {
  isSynchronous: boolean;
  /** Mosquitto instead of the embedded brokers. */
  hasBroker?: boolean;
  /** The folder of the version that all processes start with. */
  code?: string;
};

export async function startInstallation(options: Options): Promise<Installation> {
  const all = [
    ...nodes.databases,
    nodes.balancer,
    nodes.bus,
    ...nodes.processes,
    ...nodes.gateways,
    nodes.pooler,
    nodes.broker,
  ];
  const dataDir = await mkdtemp(join(tmpdir(), "psp-real-"));
  chmodSync(dataDir, 0o711);
  const network = await createNetwork(all);
  const end = async () => {
    await network.end();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 30 });
  };
  try {
    startEtcd(network, nodes.databases, dataDir);
    const databases = createDatabases(network, nodes.databases, dataDir, options);
    for (const name of nodes.databases) databases.start(name);
    const first = await databases.untilLeader(startsWithinMs);
    await databases.run(first, "pgbackrest", "--stanza=psp", "stanza-create");
    await createDatabase(network, first);
    const startBus = () => startNats(network, nodes.bus);
    const bus = startBus();
    const behind = {
      http: nodes.processes,
      mqtt: [...nodes.processes, ...nodes.gateways],
      databases: nodes.databases,
    };
    startHaproxy(network, nodes.balancer, dataDir, behind, options.code === undefined);
    const balancer = network.addressOf(nodes.balancer);
    const startPooler = () => startPgBouncer(network, nodes.pooler, dataDir, nodes.balancer);
    const startBroker = () => startMosquitto(network, nodes.broker, dataDir);
    const pooler = startPooler();
    const broker = options.hasBroker ? startBroker() : null;
    const url = `http://${balancer}:8080`;
    const { startProcess, ...others } = createProcesses(network, {
      code: options.code ?? root,
      dataDir,
      url,
      bus,
      databaseUrl: databases.url,
      readUrl: `postgres://postgres:${clusterPassword}@${balancer}:5433/psp`,
      pooler,
      broker,
    });
    // The first one creates the schema and the root account.
    for (const name of [...nodes.processes, ...nodes.gateways]) await startProcess(name);
    return {
      network,
      databases,
      dataDir,
      url,
      mqttHost: broker === null ? balancer : network.addressOf(nodes.broker),
      mqttPort: 1883,
      countStandbyReads: async () => {
        const counts = nodes.processes.map((name) => readStandbyReads(network.addressOf(name)));
        return (await Promise.all(counts)).reduce((sum, n) => sum + n, 0);
      },
      startProcess,
      ...others,
      startBus,
      startPooler,
      startBroker,
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

type Places = {
  code: string;
  dataDir: string;
  /** That of the load balancer. */
  url: string;
  bus: string;
  databaseUrl: string;
  /** That of a standby. */
  readUrl: string;
  pooler: string;
  /** Null: embedded brokers. */
  broker: string | null;
};

/** Processes of the product, started and stopped by the names of their nodes. */
function createProcesses(
  network: Network,
  places: Places,
): Pick<Installation, "startProcess" | "stopProcess" | "untilReady"> {
  const started = new Map<NodeName, ReturnType<Network["run"]>>();

  async function untilReady(name: NodeName): Promise<void> {
    const from = performance.now();
    const address = `http://${network.addressOf(name)}:8080/health/ready`;
    while (!(await isOk(address))) {
      if (performance.now() - from > startsWithinMs) throw new Error(`${name} is not ready`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function startProcess(name: NodeName, code = places.code): Promise<void> {
    const former = started.get(name);
    if (former) await exited(former);
    const isGateway = (nodes.gateways as readonly string[]).includes(name);
    const child = network.run(name, [process.execPath, join(code, "server/src/main.ts")], {
      HOST: network.addressOf(name),
      PORT: "8080",
      MQTT_PORT: "1883",
      MQTT_PROXY: "on",
      PUBLIC_URL: places.url,
      PARTS: isGateway ? "gateway" : "api,gateway,worker",
      DATABASE_URL: name === pooled ? places.pooler : places.databaseUrl,
      ...(name === pooled ? { DATABASE_DIRECT_URL: places.databaseUrl } : {}),
      ...(isGateway ? {} : { DATABASE_READ_URL: places.readUrl }),
      ...(places.broker === null ? {} : { MQTT_URL: places.broker }),
      DATABASE_POOL: "8",
      BUS_URL: places.bus,
      DATA_DIR: join(places.dataDir, name),
      NODE_ENV: "production",
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
      TRUST_PROXY: "1",
      METRICS_TOKEN: metricsToken,
      LOG_LEVEL: process.env["SHOW_PARTS"] ? "warn" : "silent",
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      SESSION_SECRET: "s0123456789abcdefghijklmnopqrstuvwxyz",
      DISPLAY_PRIVATE_KEY: "d0123456789abcdefghijklmnopqrstuvwxyz",
      FIRMWARE_SIGNING_KEY: "f0123456789abcdefghijklmnopqrstuvwxyz",
    });
    started.set(name, child);
    await untilReady(name);
  }

  async function stopProcess(name: NodeName): Promise<void> {
    const child = started.get(name);
    if (!child) throw new Error(`${name} was never started`);
    child.kill("SIGTERM");
    await exited(child);
  }
  return { startProcess, stopProcess, untilReady };
}

async function createDatabase(network: Network, leader: NodeName): Promise<void> {
  const client = new pg.Client({
    host: network.addressOf(leader),
    user: "postgres",
    password: clusterPassword,
    database: "postgres",
  });
  await client.connect();
  await client.query("create database psp");
  await client.end();
}

async function readStandbyReads(host: string): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const text = await (await fetch(`http://${host}:8080/metrics`, { headers })).text();
  const lines = text.matchAll(/^psp_replica_reads_total\{[^}]*answered_by="replica"[^}]*\} (\d+)/gm);
  return [...lines].reduce((sum, [, n]) => sum + Number(n), 0);
}

function isOk(address: string): Promise<boolean> {
  return fetch(address, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
