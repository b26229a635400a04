// Tests messages between processes over each kind of connection, while it is lost and comes back.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createConnection } from "node:net";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../testing/devices/device-world.ts";
import { findFreePorts } from "../../testing/free-ports.ts";
import { type NatsServer, startSmallNatsServer } from "./nats-server.testing.ts";
import { createDatabaseWire } from "../../testing/database/database-wire.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { createBus } from "../../kit/bus.ts";
import { createMetrics } from "../../kit/metrics.ts";
import { bridgeBus, type OpenWire } from "./bus-bridge.ts";
import { openNatsWire } from "./nats-wire.ts";
import { openNotifyWire } from "./notify-wire.ts";

const log = pino({ level: "silent" });
const secret = "s".repeat(40);
const program = ["/usr/sbin/nats-server", "/usr/local/bin/nats-server", "/opt/homebrew/bin/nats-server"].find((path) =>
  existsSync(path),
);

async function createProcess(open: OpenWire) {
  const bus = createBus(log);
  const heard: string[] = [];
  bus.on("demoWalk", ({ sensorId }) => void heard.push(sensorId));
  const bridge = await bridgeBus(
    bus,
    open,
    { log, metrics: createMetrics() },
    {
      onCommit: (names) => void heard.push(names.length > 2 ? "all names" : names.join()),
      onLoss: () => void heard.push("loss"),
    },
  );
  onTestFinished(() => bridge.stop());
  const say = (text: string) => bus.send({ name: "demoWalk", event: { sensorId: text, in: 1, out: 0 } });
  return { heard, say, notify: bridge.notify };
}

type Link = { open: OpenWire; cut(work: () => Promise<void>): Promise<void>; stop(): Promise<void> };

async function linkByDatabase(): Promise<Link> {
  const database: TestDatabase = await createTestDatabase();
  return {
    open: openNotifyWire(database.url),
    async cut(work) {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      const end = `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'ps-platform bus' and datname = current_database()`;
      await client.query(end);
      await work();
      await client.end();
    },
    stop: () => database.drop(),
  };
}

async function linkByNats(start: (port: number) => Promise<NatsServer>): Promise<Link> {
  const [port = 0] = await findFreePorts(1);
  let server = await start(port);
  return {
    open: openNatsWire([new URL(server.url)], secret, log),
    async cut(work) {
      await server.stop();
      await work();
      server = await start(port);
    },
    stop: () => server.stop(),
  };
}

async function startRealNats(port: number): Promise<NatsServer> {
  const child: ChildProcess = spawn(program ?? "", ["-a", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  await until("NATS", () => isListening(port));
  return {
    url: `nats://127.0.0.1:${port}`,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function isListening(port: number): Promise<boolean> {
  const socket = createConnection(port, "127.0.0.1");
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

const links = [
  { name: "NOTIFY", link: linkByDatabase, isHere: true },
  { name: "a small NATS server", link: () => linkByNats(startSmallNatsServer), isHere: true },
  { name: "NATS, if it is installed", link: () => linkByNats(startRealNats), isHere: program !== undefined },
];

for (const { name, link, isHere } of links)
  describe.skipIf(!isHere)(`over ${name}`, () => {
    let at: Link;
    beforeAll(async () => void (at = await link()));
    afterAll(() => at.stop());

    test("messages and commits reach the other processes, each once and in order", async () => {
      const [one, other] = [await createProcess(at.open), await createProcess(at.open)];
      await until("a connection", () => {
        one.say("ready?");
        return other.heard.includes("ready?");
      });
      one.heard.length = other.heard.length = 0;
      const texts = Array.from({ length: 500 }, (_, n) => `ä ${n} `.padEnd(200, "x"));
      texts.forEach(one.say);
      expect(one.heard).toEqual(texts);
      one.notify(["countsStored"]);
      one.notify(["countsStored", "sightChanged"]);
      await until("the commit", () => other.heard.includes("countsStored,sightChanged"));
      one.say("last");
      await until("the last one", () => other.heard.includes("last"));
      expect(other.heard.filter((text) => text !== "ready?" && !text.startsWith("countsStored"))).toEqual([
        ...texts,
        "last",
      ]);
      one.say("x".repeat(8_000));
      one.say("after a message that is too long");
      await until("the next one", () => other.heard.includes("after a message that is too long"));
      expect(other.heard.some((text) => text.length >= 8_000)).toBe(false);
    });

    test("after a loss of the connection both sides look again", async () => {
      const [one, other] = [await createProcess(at.open), await createProcess(at.open)];
      await until("a connection", () => {
        one.say("ready?");
        return other.heard.includes("ready?");
      });
      other.heard.length = 0;
      await at.cut(async () => one.say("perhaps lost"));
      await until("a warning", () => other.heard.includes("all names") && other.heard.includes("loss"));
      await until("later messages", () => {
        one.say("later");
        return other.heard.includes("later");
      });
    });
  });

const quick = { everyMs: 50, withinMs: 500 };
const cutOff = [
  {
    name: "NOTIFY",
    async start() {
      const database = await createTestDatabase();
      onTestFinished(() => database.drop());
      return { url: database.url, open: (url: string) => openNotifyWire(url, quick) };
    },
  },
  {
    name: "NATS",
    async start() {
      const [port = 0] = await findFreePorts(1);
      const server = await startSmallNatsServer(port);
      onTestFinished(() => server.stop());
      const waits = { pingMs: 250, refusedMs: 50 };
      return { url: server.url, open: (url: string) => openNatsWire([new URL(url)], secret, log, waits) };
    },
  },
];

for (const { name, start } of cutOff)
  test(`over ${name}, a process leaves a server that is cut off and closes no connection`, async () => {
    const { url, open } = await start();
    const wire = await createDatabaseWire(url);
    const [one, other] = [await createProcess(open(wire.url)), await createProcess(open(url))];
    await until("a connection", () => {
      one.say("ready?");
      return other.heard.includes("ready?");
    });
    one.heard.length = 0;
    // The connections that exist now never get another byte.
    wire.abandon();
    await until("another connection", () => one.heard.includes("loss") && one.heard.includes("all names"));
    await until("a message", () => {
      one.say("sent");
      return other.heard.includes("sent");
    });
  });

test("a process that NATS refuses connects once its login is known", async () => {
  const [port = 0] = await findFreePorts(1);
  const strict = await startSmallNatsServer(port, "another");
  const url = new URL(`nats://psp:mine@127.0.0.1:${port}`);
  const refusals: string[] = [];
  const listening = pino({ level: "error" }, { write: (line: string) => void refusals.push(line) });
  const open = openNatsWire([url], secret, listening, { pingMs: 250, refusedMs: 50 });
  const [one, other] = [await createProcess(open), await createProcess(open)];
  await until("refusals", () => refusals.length >= 4);
  await strict.stop();
  const server = await startSmallNatsServer(port, "mine");
  onTestFinished(() => server.stop());
  await until("a message", () => {
    one.say("sent");
    return other.heard.includes("sent");
  });
});

test("installations with other secrets that share a NATS server do not reach each other", async () => {
  const [port = 0] = await findFreePorts(1);
  const server = await startSmallNatsServer(port);
  onTestFinished(() => server.stop());
  const open = (own: string) => openNatsWire([new URL(server.url)], own, log);
  const [one, same, stranger] = [
    await createProcess(open(secret)),
    await createProcess(open(secret)),
    await createProcess(open("t".repeat(40))),
  ];
  await until("a connection", () => {
    one.say("mine");
    stranger.say("theirs");
    return same.heard.includes("mine") && stranger.heard.includes("theirs");
  });
  expect([same.heard.includes("theirs"), stranger.heard.includes("mine")]).toEqual([false, false]);
});

test("a process starts without its NATS server, and connects once it is there", async () => {
  const [port = 0] = await findFreePorts(1);
  const open = openNatsWire([new URL(`nats://127.0.0.1:${port}`)], secret, log);
  const [one, other] = [await createProcess(open), await createProcess(open)];
  one.say("unsent");
  const server = await startSmallNatsServer(port);
  onTestFinished(() => server.stop());
  await until("a message", () => {
    one.say("sent");
    return other.heard.includes("sent");
  });
  expect(other.heard).toContain("loss");
});
