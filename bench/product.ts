// Runs the server and its PostgreSQL as separate processes that benchmarks and campaigns can start, call, kill and restart.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

export const admin = { email: "admin@example.com", password: "campaign-lantern-harbour-77" };

export type Product = {
  url: string;
  mqttPort: number;
  dataDir: string;
  pid(): number | null;
  /** Resolves once /health is ok; returns the milliseconds it took. */
  start(): Promise<number>;
  /** Sends SIGKILL to the server, PostgreSQL, or both. Waits for the exit of the server, but not of PostgreSQL. */
  kill(victim: "server" | "postgres" | "both"): Promise<void>;
  untilHealthy(limitMs?: number): Promise<number>;
  /** URL of the embedded database, from its pid file. */
  databaseUrl(): Promise<string>;
  /** Sends SIGTERM, then removes the data folder. */
  end(): Promise<void>;
};

const given = new Set<number>();

/** A new free port outside the ephemeral range, so that nothing takes it while the server is down. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + randomInt(10_000);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** A server process with these variables, on ports of its own; see `Product`. */
export async function createServerProcess(env: Record<string, string>) {
  const [port, mqttPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;

  async function untilHealthy(limitMs = 60_000): Promise<number> {
    const from = performance.now();
    for (;;) {
      const up = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) }).then(
        (reply) => reply.ok,
        () => false,
      );
      if (up) return performance.now() - from;
      if (performance.now() - from > limitMs) throw new Error(`Not healthy after ${limitMs} ms`);
      if (child && child.exitCode !== null) throw new Error(`The product ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  return {
    url,
    mqttPort,
    pid: () => child?.pid ?? null,
    untilHealthy,
    async start() {
      child = spawn(process.execPath, [join(root, "server/src/main.ts")], {
        cwd: root,
        // The server exits when this channel closes, so that a failed campaign leaves no processes behind.
        stdio: ["ignore", "ignore", "inherit", "ipc"],
        detached: true,
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: process.env["HOME"] ?? "",
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
          PORT: String(port),
          MQTT_PORT: String(mqttPort),
          HOST: "127.0.0.1",
          DEMO: "off",
          DRAIN_SECONDS: "0",
          LOG_LEVEL: "silent",
          PUBLIC_URL: url,
          ADMIN_EMAIL: admin.email,
          ADMIN_PASSWORD: admin.password,
          ...env,
        },
      });
      return untilHealthy();
    },
    async kill() {
      if (child?.pid) killAll([child.pid]);
      await ended(child);
    },
    async stop() {
      child?.kill("SIGTERM");
      await ended(child);
    },
  };
}

export async function createProduct(env: Record<string, string> = {}): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), "psp-campaign-"));
  const server = await createServerProcess({ DATA_DIR: dataDir, ...env });
  return {
    ...server,
    dataDir,
    async kill(victim) {
      if (victim !== "server") await killPostgres(dataDir);
      if (victim !== "postgres") await server.kill();
    },
    async databaseUrl() {
      const [, , , port = "5432", socketDir = ""] = (
        await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8")
      ).split("\n");
      // Uses the superuser, because the password of the server's own role is random.
      return `postgres://postgres@localhost:${port.trim()}/psp?host=${encodeURIComponent(socketDir.trim())}`;
    },
    async end() {
      await server.stop();
      // PostgreSQL may write for a moment after an aborted shutdown.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 30 });
    },
  };
}

/** Sends SIGKILL to the embedded PostgreSQL of this folder and its children. */
export async function killPostgres(dataDir: string): Promise<void> {
  const postmaster = await postmasterPid(dataDir);
  if (postmaster) killAll([postmaster, ...childrenOf(postmaster)]);
}

export async function postmasterPid(dataDir: string): Promise<number | null> {
  const text = await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8").catch(() => "");
  return Number(text.split("\n")[0]) || null;
}

export function childrenOf(pid: number): number[] {
  try {
    return execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
      .split(/\s+/)
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

function killAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has already exited.
    }
  }
}

function ended(child: ChildProcess | null): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

export type Api = {
  /** `limitMs` is 20 seconds by default. */
  call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>, limitMs?: number): Promise<T>;
  token: string;
};

/** Signs in, as the root account by default. Sign-in and calls throw on any status above 299. */
export async function signIn(url: string, login = admin): Promise<Api> {
  const send = async <T>(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
    limitMs = 20_000,
  ): Promise<T> => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(limitMs),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} → ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };
  const { token } = await send<{ token: string }>("POST", "/api/auth/login", login, {});
  return {
    token,
    call: (method, path, body, headers = {}, limitMs) =>
      send(method, path, body, { authorization: `Bearer ${token}`, ...headers }, limitMs),
  };
}
