// Starts the server as a separate process on free ports with empty data.

import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { parsePrintedUrl } from "./printed.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
/** Only catches hangs, because a busy machine is several times slower. */
const READY_LIMIT_MS = 300_000;
/** Environment variables that the server doesn't get from the developer, because they would affect the tests. */
const OPERATORS = new Set(["DATABASE_URL", "MQTT_URL", "MAIL_URL", "HOST", "DEMO_OPEN", "PUBLIC_URL"]);

export type TestServer = {
  baseUrl: string;
  printed(): string;
  port: number;
  mqttPort: number;
  dataDir: string;
  /** Ends the server without shutdown (SIGKILL). */
  kill(): Promise<void>;
  /** Restarts with the same data and address. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** Throws if the server doesn't become ready; its output goes to `.cache/<name>.log`. */
export async function startTestServer(name: string, env: Record<string, string>): Promise<TestServer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "psp-e2e-"));
  await chmod(dataDir, 0o711);
  const [port = 0, mqttPort = 0] = await findFreePorts(2);
  await mkdir(path.join(ROOT, ".cache"), { recursive: true });
  // Appended, so that a second try of a test keeps the reason why the first one failed.
  const log = createWriteStream(path.join(ROOT, `.cache/${name}.log`), { flags: "a" });
  const environment = Object.fromEntries(Object.entries(process.env).filter(([key]) => !OPERATORS.has(key)));
  const own = { PORT: String(port), MQTT_PORT: String(mqttPort), DATA_DIR: dataDir, ...env };
  let server: ChildProcess | null = null;
  let printed = "";
  let exited: Promise<unknown> = Promise.resolve();

  const end = async (signal: NodeJS.Signals) => {
    const impatient = setTimeout(() => server?.kill("SIGKILL"), 10_000);
    server?.kill(signal);
    await exited;
    clearTimeout(impatient);
  };
  const start = async () => {
    const process_ = spawn(process.execPath, [path.join(ROOT, "server/src/main.ts")], {
      cwd: ROOT,
      env: { ...environment, ...own },
      // The server ends when this channel closes, so killed tests leave no servers behind.
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    server = process_;
    printed = "";
    process_.stdout?.setEncoding("utf8").on("data", (text: string) => (printed += text));
    process_.stdout?.pipe(log, { end: false });
    process_.stderr?.pipe(log, { end: false });
    exited = once(process_, "exit").then(() => (server = null));
    const deadline = Date.now() + READY_LIMIT_MS;
    while (parsePrintedUrl(printed) === null) {
      if (server === null || Date.now() > deadline) {
        await end("SIGTERM");
        throw new Error(`The server did not say that it is ready: see .cache/${name}.log`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const stop = async () => {
    await end("SIGTERM");
    log.end();
    // Retries, because PostgreSQL may still write for a moment after an aborted shutdown.
    await rm(dataDir, { recursive: true, force: true, maxRetries: 30 });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  const baseUrl = parsePrintedUrl(printed) ?? "";
  return { baseUrl, printed: () => printed, port, mqttPort, dataDir, start, stop, kill: () => end("SIGKILL") };
}

/** Ports outside the ephemeral range, so that no other program takes them while the server is down. */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 20_000 + randomInt(10_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
