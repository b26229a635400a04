// Tests limits and resources of the proxy when a browser leaves early or a session ends (T-17).
import { once } from "node:events";
import { type ClientRequest, createServer, request as ask } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { createFrontServer } from "./front-server.ts";
import type { PageSession } from "./page-session.ts";
import { createProxy } from "./proxy.ts";

const host = "001628fd0001.devices.localhost";
let asked: ((address: string | null) => void)[] = [];
let ending: AbortController;
let sides: Socket[] = [];
let port: number;
let close: () => Promise<unknown>;

beforeEach(async () => {
  [asked, sides] = [[], []];
  ending = new AbortController();
  const session: PageSession = {
    sensorId: "00:16:28:FD:00:01",
    isReadOnly: false,
    user: "user-role-edit",
    ended: ending.signal,
    mayCall: () => true,
    recordWrite: () => Promise.resolve(),
  };
  const proxy = createProxy({
    log: pino({ level: "silent" }),
    root: { scheme: null, name: "devices.localhost", port: null },
    scheme: "http",
    consoleUrl: () => "http://console.test",
    running: () => ({
      sessions: { exchangeToken: () => Promise.resolve(null), find: () => Promise.resolve(session) },
      tunnels: null,
      // Resolved by the test, which acts in the meantime.
      peerOf: () => new Promise((resolve) => void asked.push(resolve)),
    }),
  });
  const server = createFrontServer(() => undefined).attach(proxy, (_request, response) => {
    response.writeHead(404).end();
  });
  // Node accepts upgrades only if there is an `upgrade` listener, as there always is in the real server.
  server.on("connection", (socket) => void sides.push(socket));
  server.on("upgrade", (_request, socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
  close = () => new Promise((done) => (server.closeAllConnections(), server.close(done)));
});
afterEach(() => close());

const begin = (headers: Record<string, string> = {}): ClientRequest =>
  ask({ host: "127.0.0.1", port, path: "/status", agent: false, headers: { host, ...headers } })
    .on("error", () => undefined)
    .end();
const webSocket = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": Buffer.alloc(16).toString("base64"),
};
const statusOf = async (request: ClientRequest) => {
  const [answer] = await once(request, "response");
  return (answer as { statusCode: number }).statusCode;
};

test("T-17 browsers that leave during the lookup of a process free their slots", async () => {
  for (let n = 1; n <= 30; n += 1) {
    const gone = begin();
    await until("it is looked up", () => asked.length === n);
    gone.destroy();
  }
  await until("they left", () => sides.every((side) => side.closed));
  const stays = begin();
  await until("it is looked up", () => asked.length === 31);
  for (const answer of asked) answer("http://127.0.0.1:9");
  // The peer is unreachable, so the status is 502. If no slot were free, it would be 429.
  expect(await statusOf(stays)).toBe(502);
});

test("T-17 a WebSocket whose session ends during the lookup is not forwarded", async () => {
  let reached = 0;
  const peer = createServer((_request, response) => ((reached += 1), response.end()));
  peer.on("upgrade", (_request, socket) => ((reached += 1), socket.destroy()));
  peer.listen(0, "127.0.0.1");
  await once(peer, "listening");
  begin(webSocket);
  await until("it is looked up", () => asked.length === 1);
  ending.abort();
  await until("it is closed", () => sides[0]?.closed);
  asked[0]?.(`http://127.0.0.1:${(peer.address() as AddressInfo).port}`);
  // Once this request has arrived, anything forwarded before it would have arrived, too.
  const { port: peerPort } = peer.address() as AddressInfo;
  await new Promise((go) => setImmediate(go));
  expect((await fetch(`http://127.0.0.1:${peerPort}/`)).status).toBe(200);
  expect(reached).toBe(1);
  const later = begin();
  await until("it is looked up", () => asked.length === 2);
  asked[1]?.(`http://127.0.0.1:${peerPort}`);
  expect(await statusOf(later)).toBe(403);
  expect(reached).toBe(1);
  peer.close();
});
