// Starts the whole product for the browser journeys, on free ports and empty data, and removes it afterwards.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");
const READY_LIMIT_MS = 60_000;

/**
 * Playwright's global set-up. The journeys find the product by `E2E_BASE_URL`, its device gateway by `E2E_MQTT_PORT` and
 * its files (mails among them) by `E2E_DATA_DIR`. What the server says goes to `.cache/e2e-server.log`.
 */
export default async function startServer(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "psp-e2e-"));
  await chmod(dataDir, 0o711);
  const [port, mqttPort] = await freePorts(2);
  const baseUrl = `http://localhost:${port}`;
  process.env["E2E_BASE_URL"] = baseUrl;
  process.env["E2E_MQTT_PORT"] = String(mqttPort);
  process.env["E2E_DATA_DIR"] = dataDir;

  await mkdir(path.join(ROOT, ".cache"), { recursive: true });
  const log = createWriteStream(path.join(ROOT, ".cache/e2e-server.log"));
  const { DATABASE_URL: _database, MQTT_URL: _broker, MAIL_URL: _mail, HOST: _host, ...environment } = process.env;
  const ports = { PORT: String(port), MQTT_PORT: String(mqttPort), DATA_DIR: dataDir, PUBLIC_URL: baseUrl, DEMO: "on" };
  const server = spawn(process.execPath, [path.join(ROOT, "server/src/main.ts")], {
    cwd: ROOT,
    env: { ...environment, ...ports },
    stdio: ["ignore", "pipe", "pipe"],
  });
  server.stdout.pipe(log, { end: false });
  server.stderr.pipe(log, { end: false });
  const exited = once(server, "exit");
  let running = true;
  void exited.then(() => (running = false));

  const stop = async () => {
    const impatient = setTimeout(() => server.kill("SIGKILL"), 10_000);
    if (running) server.kill("SIGTERM");
    await exited;
    clearTimeout(impatient);
    log.end();
    await rm(dataDir, { recursive: true, force: true });
  };

  const deadline = Date.now() + READY_LIMIT_MS;
  while (!(await isHealthy(baseUrl))) {
    if (!running || Date.now() > deadline) {
      await stop();
      throw new Error("The server did not become healthy: see .cache/e2e-server.log");
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return stop;
}

async function isHealthy(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/health`).then(
    (reply) => reply.ok,
    () => false,
  );
}

/** Ports that were free a moment ago; all are held until all are known, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
