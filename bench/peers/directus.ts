// Installs Directus on demand in an ignored folder and runs it in a separate process, as the peer of a comparison.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../product.ts";

const version = "12.4.0";
/** The sandbox of Directus, isolated-vm 5, doesn't compile on newer Node versions. */
const node = "22.23.3";
const folder = join(import.meta.dirname, "..", "..", ".cache", "peers", "directus");
const nodePackage = `node-${process.platform === "darwin" ? "bin-darwin" : process.platform}-${process.arch}`;
const nodeHome = join(folder, "node_modules", nodePackage);
const sandbox = join(folder, "node_modules", "isolated-vm");
const done = join(folder, "installed.json");

const run = promisify(execFile);

export type DirectusInstallation = {
  version: string;
  node: string;
  sandbox: "built from source" | "replaced by a stub";
};
export type Peer = { url: string; token: string; stop(): Promise<void> };

/** Installs the pinned version with npm, unless it is installed already. Runs no install script except the sandbox's build. */
export async function installDirectus(): Promise<DirectusInstallation> {
  const present = existsSync(done) ? (JSON.parse(await readFile(done, "utf8")) as DirectusInstallation) : null;
  if (present?.version === version && present.node === node) return present;
  await mkdir(folder, { recursive: true });
  const dependencies = { directus: version, [nodePackage]: node };
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "peer-directus", private: true, dependencies }));
  // Bypasses Directus's own entry point, which checks for updates at every start.
  await writeFile(join(folder, "start.mjs"), `import "@directus/api/cli/run.js";\n`);
  const npm = (...args: string[]) =>
    run("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: folder,
      maxBuffer: 64 * 2 ** 20,
      env: { ...process.env, PATH: pathWithNode(), npm_config_nodedir: nodeHome },
    });
  await npm("install", "--ignore-scripts");
  const built = await npm("rebuild", "isolated-vm").then(
    () => loads(sandbox),
    () => false,
  );
  if (!built) await writeFile(join(sandbox, "isolated-vm.js"), "module.exports = {};\n");
  const installed: DirectusInstallation = {
    version,
    node,
    sandbox: built ? "built from source" : "replaced by a stub",
  };
  await writeFile(done, JSON.stringify(installed));
  return installed;
}

const pathWithNode = () => `${join(nodeHome, "bin")}:${process.env["PATH"] ?? ""}`;

const loads = (path: string) =>
  run(join(nodeHome, "bin", "node"), ["-e", `require(${JSON.stringify(path)})`]).then(
    () => true,
    () => false,
  );

/** Starts Directus, which creates its tables in the database of `databaseUrl`. */
export async function startDirectus(databaseUrl: string): Promise<Peer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const token = "peer-token-0123456789012345678901234567890";
  const env = {
    PATH: pathWithNode(),
    HOME: folder,
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: url,
    SECRET: "peer-secret-0123456789012345678901234567890",
    ADMIN_EMAIL: "admin@example.com",
    ADMIN_PASSWORD: "peer-lantern-harbour-77",
    ADMIN_TOKEN: token,
    ACCEPT_TERMS: "true",
    DB_CLIENT: "pg",
    DB_CONNECTION_STRING: databaseUrl,
    DB_POOL__MIN: "0",
    DB_POOL__MAX: "16",
    LOG_LEVEL: "error",
    TELEMETRY: "false",
    CACHE_ENABLED: "false",
    RATE_LIMITER_ENABLED: "false",
    RATE_LIMITER_GLOBAL_ENABLED: "false",
    PRESSURE_LIMITER_ENABLED: "false",
    MAX_PAYLOAD_SIZE: "64mb",
    SERVE_APP: "false",
    WEBSOCKETS_ENABLED: "true",
    WEBSOCKETS_REST_AUTH: "strict",
    WEBSOCKETS_HEARTBEAT_ENABLED: "false",
  };
  const start = (command: string) =>
    spawn(join(nodeHome, "bin", "node"), ["start.mjs", command], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
      env,
    });
  const code = await ended(start("bootstrap"));
  if (code !== 0) throw new Error(`Directus: bootstrap ended with ${code}`);
  const child = start("start");
  await untilUp(url, child);
  return {
    url,
    token,
    async stop() {
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      child.kill("SIGTERM");
      await ended(child);
      clearTimeout(late);
    },
  };
}

async function untilUp(url: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + 120_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Directus ended with ${child.exitCode}`);
    const up = await fetch(`${url}/server/ping`, { signal: AbortSignal.timeout(2000) }).then(
      (reply) => reply.ok,
      () => false,
    );
    if (up) return;
    if (performance.now() > until) {
      child.kill("SIGKILL");
      throw new Error("Directus does not come up");
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once("exit", (code) => resolve(code)));
}
