// Stops one of two processes behind a load balancer while clients call and listen: no call fails, and sockets move to the other one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { migrate } from "../db/migrate.ts";
import { until } from "../testing/devices/device-world.ts";
import { findFreePorts } from "../testing/free-ports.ts";
import { createTestDatabase } from "../testing/postgres.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld } from "../testing/world.ts";

const email = "admin@example.com";
const password = "violet-harbour-lantern";

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

async function startTwo() {
  const database = await createTestDatabase(migrate);
  const dataDir = mkdtempSync(join(tmpdir(), "psp-drain-"));
  const ports = await findFreePorts(2);
  const start = (port: number) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "../main.ts")], {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        PATH: process.env["PATH"] ?? "",
        DATABASE_URL: database.url,
        DATA_DIR: dataDir,
        DRAIN_SECONDS: "3",
        HOST: "127.0.0.1",
        PORT: String(port),
        PARTS: "api",
        LOG_LEVEL: "silent",
        TEST_HASHING: "on",
        ADMIN_EMAIL: email,
        ADMIN_PASSWORD: password,
      },
    });
    return { port, child, closed: once(child, "close") };
  };
  const processes = ports.map(start);
  onTestFinished(async () => {
    for (const { child } of processes) child.kill("SIGKILL");
    await Promise.all(processes.map(({ closed }) => closed));
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  await until("both are ready", async () => (await Promise.all(ports.map(isReady))).every(Boolean));
  return processes;
}

/** Gives each connection to the next process that was ready when it was asked last, ten times a second. */
async function balance(ports: readonly number[]) {
  const ready = new Set(ports);
  const open = new Set<Socket>();
  let turn = 0;
  const check = setInterval(() => {
    for (const port of ports) void isReady(port).then((is) => void (is ? ready.add(port) : ready.delete(port)));
  }, 100);
  const server = createServer((client) => {
    const of = [...ready];
    const target = connect(of[(turn += 1) % of.length] ?? 0, "127.0.0.1");
    for (const socket of [client, target]) {
      open.add(socket);
      socket
        .on("error", () => undefined)
        .on("close", () => {
          for (const end of [client, target]) open.delete(end.destroy());
        });
    }
    client.pipe(target).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    clearInterval(check);
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, ready };
}

/** Calls one after another on a connection that is kept as long as the server keeps it. */
function callOn(port: number, agent: Agent, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request({ host: "127.0.0.1", port, path: "/api/auth/user", agent, headers }, (response) => {
      response
        .resume()
        .on("end", () => resolve(response.statusCode ?? 0))
        .on("error", reject);
    });
    sent.on("error", reject).end();
  });
}

function openSocket(port: number, token: string) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/live?token=${token}`);
  const closed = new Promise<number>((resolve) => void socket.once("close", resolve));
  return { opened: once(socket, "message"), closed, end: () => socket.terminate() };
}

test("no call fails and sockets get 1001 when one of two processes stops", async () => {
  const [leaving, staying] = await startTwo();
  if (!leaving || !staying) throw new Error("two processes");
  const proxy = await balance([leaving.port, staying.port]);
  const login = await fetch(`http://127.0.0.1:${proxy.port}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  const { token } = (await login.json()) as { token: string };
  const sockets = Array.from({ length: 10 }, () => openSocket(leaving.port, token));
  await Promise.all(sockets.map(({ opened }) => opened));

  const results = new Map<unknown, number>();
  let isOver = false;
  const callers = Array.from({ length: 8 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const result = await callOn(proxy.port, agent, token).catch((error: unknown) => String(error));
      results.set(result, (results.get(result) ?? 0) + 1);
    }
    agent.destroy();
  });
  await until("calls run", () => (results.get(200) ?? 0) > 100);
  leaving.child.kill("SIGTERM");
  const moved = await Promise.all(
    sockets.map(async ({ closed }) => {
      const code = await closed;
      // The client reconnects at once, while the process still drains.
      const next = openSocket(proxy.port, token);
      await next.opened;
      next.end();
      return code;
    }),
  );
  await leaving.closed;
  const before = results.get(200) ?? 0;
  await until("calls still run", () => (results.get(200) ?? 0) > before + 100);
  isOver = true;
  await Promise.all(callers);
  expect([...results.keys()]).toEqual([200]);
  expect(moved).toEqual(sockets.map(() => 1001));
  expect(leaving.child.exitCode).toBe(0);
});

test("a process that stops lets a running call finish", async () => {
  const world = await createWorld({ env: { DRAIN_SECONDS: "0" } });
  const { db } = world.ctx;
  let isDrained = false;
  const { call, drained } = await db.transaction().execute(async (tx) => {
    await sql`lock table location in access exclusive mode`.execute(tx);
    const call = world.call(world.root, "GET", "/api/v2/measurement");
    await untilSomebodyWaits(db);
    const drained = world.server.drain().then(() => void (isDrained = true));
    expect((await world.call(null, "GET", "/health/live")).status).toBe(200);
    expect(isDrained).toBe(false);
    return { call, drained };
  });
  expect((await call).status).toBe(200);
  await drained;
  await world.stop();
});
