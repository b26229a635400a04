// Starts the parts of a cluster on the nodes of a network, from the configuration in deploy/.
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Network, NodeName } from "./network.ts";

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
export function fill(template: string, values: Record<string, string>): string {
  return readFileSync(join(templates, template), "utf8").replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${template}: ${name} has no value`);
    return value;
  });
}

export const idOf = (user: string, what: "-u" | "-g") => Number(execFileSync("id", [what, user], { encoding: "utf8" }));

/** A folder that belongs to this system user. */
export function makeFolder(path: string, user: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chownSync(path, idOf(user, "-u"), idOf(user, "-g"));
  return path;
}

/**
 * `http`, `mqtt` and `databases`: nodes with these processes. Uses the documented configuration without certificates. `sendsAddresses`:
 * false if a gateway of an older version would not understand them.
 */
export function startHaproxy(
  network: Network,
  name: NodeName,
  dataDir: string,
  { http, mqtt, databases }: Record<"http" | "mqtt" | "databases", readonly NodeName[]>,
  sendsAddresses: boolean,
): void {
  const servers = (nodes: readonly NodeName[], port: number, check: string) =>
    nodes.map((node) => `    server ${node} ${network.addressOf(node)}:${port}${check}\n`).join("");
  const postgres = servers(databases, 5432, " port 8008");
  const lists = [servers(http, 8080, ""), servers(mqtt, 1883, " port 8080"), postgres, postgres];
  const own = network.addressOf(name);
  const text = readFileSync(join(templates, "haproxy/haproxy.cfg"), "utf8")
    .replace(/maxconn \d+/, "maxconn 4000")
    .replaceAll(/^.*(?:log |:443|redirect scheme|X-Forwarded-Proto|option (?:httplog|tcplog)).*\n/gm, "")
    .replace(/^.*send-proxy-v2\n/m, (line) => (sendsAddresses ? line : ""))
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
