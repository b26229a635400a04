// Starts the parts of a cluster on the nodes of a network, from the configuration in deploy/.
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Network, networkRange, type NodeName } from "./network.ts";

const root = join(import.meta.dirname, "../..");
const templates = join(root, "deploy");
/** Of the superuser. */
export const clusterPassword = "cluster-lantern-harbour";

/** Newest PostgreSQL of this machine; null without one. */
export function findPostgres(): string | null {
  const folder = "/usr/lib/postgresql";
  const versions = existsSync(folder) ? readdirSync(folder).toSorted((a, b) => Number(b) - Number(a)) : [];
  return (
    versions.map((version) => join(folder, version, "bin")).find((bin) => existsSync(join(bin, "postgres"))) ?? null
  );
}

/** Fills in `${NAME}`; a name without a value is an error. */
function fill(template: string, values: Record<string, string>): string {
  return readFileSync(join(templates, template), "utf8").replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${template}: ${name} has no value`);
    return value;
  });
}

const idOf = (user: string, what: "-u" | "-g") => Number(execFileSync("id", [what, user], { encoding: "utf8" }));

/** A folder that belongs to this system user. */
function makeFolder(path: string, user: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chownSync(path, idOf(user, "-u"), idOf(user, "-g"));
  return path;
}

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

/** In bytes. */
const maxLag = 1_048_576;
/** Patroni before version 3 calls it "running". */
const isRunning = (state: string) => ["running", "streaming"].includes(state);

export type Databases = {
  /** Starts Patroni on a node, which starts PostgreSQL. */
  start(name: NodeName): void;
  leader(): Promise<NodeName | null>;
  /** Resolves with the leader once it accepts writes. */
  untilLeader(limitMs: number, other?: NodeName): Promise<NodeName>;
  /** Resolves with the timeline of the leader once it is above `after`. Each promotion raises it, also of the former leader. */
  untilTimeline(limitMs: number, after: number): Promise<number>;
  /** Resolves when all nodes run and follow the leader, so that the next failover is possible. */
  untilWhole(limitMs: number): Promise<void>;
  /** With all hosts. */
  url: string;
};

export function createDatabases(
  network: Network,
  nodes: readonly NodeName[],
  dataDir: string,
  { isSynchronous }: { isSynchronous: boolean },
): Databases {
  const binaries = findPostgres() ?? "";
  const folder = makeFolder(join(dataDir, "patroni"), "postgres");
  const fileOf = (name: NodeName) => join(folder, `${name}.yml`);
  for (const name of nodes) {
    const values = {
      NODE: name,
      ADDRESS: network.addressOf(name),
      ETCD_HOSTS: nodes.map((one) => `${network.addressOf(one)}:2379`).join(","),
      NETWORK: networkRange,
      SYNCHRONOUS: String(isSynchronous),
      MAXIMUM_LAG: String(isSynchronous ? 1_048_576 : 1_073_741_824),
      PASSWORD: clusterPassword,
      BIN_DIR: binaries,
      DATA_DIR: join(folder, name),
      SOCKET_DIR: makeFolder(join(folder, `${name}-socket`), "postgres"),
    };
    const text = fill("patroni/patroni.yml", values);
    writeFileSync(fileOf(name), isLockSafe() ? text : text.replace("\netcd3:", "\netcd:"));
    chownSync(fileOf(name), idOf("postgres", "-u"), statSync(folder).gid);
  }

  async function leader(): Promise<NodeName | null> {
    const asked = nodes.map(async (name) => {
      const reply = await fetch(`http://${network.addressOf(name)}:8008/primary`, {
        signal: AbortSignal.timeout(1_000),
      });
      if (!reply.ok) throw new Error("no leader");
      return name;
    });
    return Promise.any(asked).catch(() => null);
  }

  type Member = { role: string; state: string; lag?: number | string; timeline?: number };
  async function membersBy(name: NodeName): Promise<Member[]> {
    const reply = await fetch(`http://${network.addressOf(name)}:8008/cluster`, { signal: AbortSignal.timeout(1_000) });
    return ((await reply.json()) as { members: Member[] }).members;
  }

  async function isWhole(): Promise<boolean> {
    const found = await leader();
    // An answer may be late on a busy machine.
    const members = found === null ? [] : await membersBy(found).catch(() => []);
    const following = members.filter(
      ({ role, state, lag }) => role !== "leader" && isRunning(state) && Number(lag) < maxLag,
    );
    const hasStandby = !isSynchronous || following.some(({ role }) => role === "sync_standby");
    return following.length === nodes.length - 1 && hasStandby;
  }

  /** 0 while there is no leader. */
  async function timeline(): Promise<number> {
    const found = await leader();
    const members = found === null ? [] : await membersBy(found).catch(() => []);
    return members.find(({ role }) => role === "leader")?.timeline ?? 0;
  }

  return {
    start: (name) => void network.run(name, ["patroni", fileOf(name)], { HOME: folder }, "postgres"),
    leader,
    async untilTimeline(limitMs, after) {
      const from = performance.now();
      for (;;) {
        const found = await timeline();
        if (found > after) return found;
        if (performance.now() - from > limitMs) throw new Error(`No timeline after ${after} within ${limitMs} ms`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    async untilLeader(limitMs, other) {
      const from = performance.now();
      for (;;) {
        const found = await leader();
        if (found !== null && found !== other) return found;
        if (performance.now() - from > limitMs) throw new Error(`No leader within ${limitMs} ms`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    async untilWhole(limitMs) {
      const from = performance.now();
      while (!(await isWhole())) {
        if (performance.now() - from > limitMs) {
          const members = await Promise.all(nodes.map((name) => membersBy(name).catch(String)));
          const outputs = nodes.map((name) => `${name}:\n${network.outputOf(name)}`).join("\n");
          throw new Error(`Not all databases run within ${limitMs} ms: ${JSON.stringify(members)}\n${outputs}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    url: `postgres://postgres:${clusterPassword}@${nodes.map((name) => `${network.addressOf(name)}:5432`).join(",")}/psp?target_session_attrs=read-write`,
  };
}

/** `http`, `mqtt` and `databases`: nodes with these processes. Uses the documented configuration without certificates. */
export function startHaproxy(
  network: Network,
  name: NodeName,
  dataDir: string,
  { http, mqtt, databases }: Record<"http" | "mqtt" | "databases", readonly NodeName[]>,
): void {
  const servers = (nodes: readonly NodeName[], port: number, check: string) =>
    nodes.map((node) => `    server ${node} ${network.addressOf(node)}:${port}${check}\n`).join("");
  const postgres = servers(databases, 5432, " port 8008");
  const lists = [servers(http, 8080, ""), servers(mqtt, 1883, " port 8080"), postgres, postgres];
  const own = network.addressOf(name);
  const text = readFileSync(join(templates, "haproxy/haproxy.cfg"), "utf8")
    .replace(/maxconn \d+/, "maxconn 4000")
    .replaceAll(/^.*(?:log |:443|redirect scheme|X-Forwarded-Proto|option (?:httplog|tcplog)).*\n/gm, "")
    .replace("bind :80", `bind ${own}:8080`)
    .replace("bind :1883", `bind ${own}:1883`)
    .replace("bind :5432", `bind ${own}:5432`)
    .replace("bind :5433", `bind ${own}:5433`)
    .replaceAll(/(?: {4}server .*\n)+/g, () => lists.shift() ?? "");
  const file = join(dataDir, "haproxy.cfg");
  writeFileSync(file, text);
  network.run(name, ["haproxy", "-f", file, "-db"]);
}

export function startNats(network: Network, name: NodeName): string {
  network.run(name, ["nats-server", "-a", network.addressOf(name), "-p", "4222"]);
  return `nats://${network.addressOf(name)}:4222`;
}

/** Returns the URL of the database through the pooler. `database`: the node with HAProxy. */
export function startPgBouncer(network: Network, name: NodeName, dataDir: string, database: NodeName): string {
  const folder = makeFolder(join(dataDir, "pgbouncer"), "postgres");
  const [users, file] = [join(folder, "users"), join(folder, "pgbouncer.ini")];
  const values = { ADDRESS: network.addressOf(name), DATABASE_HOST: network.addressOf(database), AUTH_FILE: users };
  writeFileSync(users, `"postgres" "${clusterPassword}"\n`);
  writeFileSync(file, fill("pgbouncer/pgbouncer.ini", values));
  network.run(name, ["pgbouncer", file], {}, "postgres");
  return `postgres://postgres:${clusterPassword}@${values.ADDRESS}:6432/psp`;
}

/** Returns the URL for gateways. Uses the documented configuration and program. */
export function startMosquitto(network: Network, name: NodeName, dataDir: string): string {
  const folder = makeFolder(join(dataDir, "mosquitto"), "mosquitto");
  const documented = join(root, "docs/mosquitto");
  const plugins = "/usr/lib/x86_64-linux-gnu";
  const security = join(folder, "dynamic-security.json");
  if (!existsSync(security)) {
    const program = join(documented, "create-dynamic-security.mjs");
    writeFileSync(security, execFileSync(process.execPath, [program], { input: clusterPassword }));
    chownSync(security, idOf("mosquitto", "-u"), idOf("mosquitto", "-g"));
  }
  const text = readFileSync(join(documented, "mosquitto.conf"), "utf8")
    .replace("listener 1883", `listener 1883 ${network.addressOf(name)}`)
    .replaceAll("/mosquitto/data/", `${folder}/`)
    .replace("/usr/lib/mosquitto_dynamic", `${plugins}/mosquitto_dynamic`);
  writeFileSync(join(folder, "mosquitto.conf"), text);
  network.run(name, ["mosquitto", "-c", join(folder, "mosquitto.conf")], {}, "mosquitto");
  return `mqtt://gateway:${clusterPassword}@${network.addressOf(name)}:1883`;
}
