// Tests the OpenVPN adapter against a fake management interface of version 2.6: admission, client list, garbage, and hangs.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { openFakeOpenVpn, type FakeOpenVpn } from "../testing/devices/vpn-management.ts";
import { openVpnServer, type VpnClient, type VpnServer } from "./vpn-server.adapter.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const timing = { backOffMs: 5, maxBackOffMs: 20, connectMs: 5_000, listMs: 3_600_000 };

type Seen = { lists: VpnClient[][]; came: VpnClient[]; left: string[]; reachable: boolean[]; complaints: string[] };

function listen(
  management: Parameters<typeof openVpnServer>[0],
  {
    mayConnect = async () => true,
    listMs = timing.listMs,
  }: { mayConnect?: (name: string) => Promise<boolean>; listMs?: number } = {},
): { server: VpnServer; seen: Seen } {
  const seen: Seen = { lists: [], came: [], left: [], reachable: [], complaints: [] };
  const server = openVpnServer(
    management,
    { ...timing, listMs },
    {
      mayConnect,
      onList: (clients) => void seen.lists.push(clients),
      onConnected: (client) => void seen.came.push(client),
      onDisconnected: (name) => void seen.left.push(name),
      onReachable: (is) => void seen.reachable.push(is),
      onComplaint: (text) => void seen.complaints.push(text),
    },
  );
  ends.push(() => server.stop());
  return { server, seen };
}
async function fake(options?: { hold?: boolean }): Promise<FakeOpenVpn> {
  const one = await openFakeOpenVpn(options);
  ends.push(() => one.stop());
  return one;
}
const tcp = (port: number) => ({ kind: "openvpn", host: "127.0.0.1", port }) as const;

async function peer(target: string | 0 = 0) {
  const sockets: Socket[] = [];
  const heard: string[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.setEncoding("utf8").on("data", (text: string) => void heard.push(text));
  });
  if (target === 0) server.listen(0, "127.0.0.1");
  else server.listen(target);
  await once(server, "listening");
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const port = target === 0 ? (server.address() as AddressInfo).port : 0;
  return { port, sockets, heard };
}

test("VP-01 admitted clients are reported with addresses, others are refused, by certificate name", async () => {
  const vpn = await fake();
  const { server, seen } = listen(tcp(vpn.port), { mayConnect: async (name) => name === "020000000001" });
  expect(await vpn.join("020000000001")).toBe("let in");
  expect(await vpn.join("020000000002")).toBe("refused");
  expect(await vpn.join("x".repeat(300))).toBe("refused");
  await until("the client", () => seen.came.length === 1);
  expect(seen.came).toEqual([
    { id: "0", name: "020000000001", publicAddress: "198.51.100.7", vpnAddress: "10.8.0.2", since: null },
  ]);
  expect(vpn.heard).toEqual([
    "bytecount 0",
    "status 3",
    "client-auth-nt 0 1",
    'client-deny 1 1 "not asked to connect"',
    'client-deny 2 1 "not asked to connect"',
  ]);
  expect([server.isConnected("020000000001"), server.isConnected("020000000002")]).toEqual([true, false]);
  server.kill("020000000001");
  await until("its end", () => seen.left.length === 1);
  expect([vpn.heard.at(-1), server.isConnected("020000000001")]).toEqual(["client-kill 0 HALT", false]);
  server.kill("020000000001");
  expect(await vpn.join("020000000001")).toBe("let in");
});

test("VP-01 connected clients are listed; the last of two connections counts as leaving", async () => {
  const vpn = await fake();
  vpn.plant("020000000001");
  const { seen } = listen(tcp(vpn.port));
  await until("the list", () => seen.lists.length === 1);
  expect(seen.lists[0]).toEqual([
    { id: "0", name: "020000000001", publicAddress: "198.51.100.7", vpnAddress: "10.8.0.2", since: 1_795_593_600_000 },
  ]);
  expect(await vpn.join("020000000001")).toBe("let in");
  await until("the other", () => seen.came.length === 1);
  vpn.say(">CLIENT:DISCONNECT,0", ">CLIENT:ENV,common_name=020000000001", ">CLIENT:ENV,END");
  expect(await vpn.join("020000000009")).toBe("let in");
  expect(seen.left).toEqual([]);
  vpn.say(">CLIENT:DISCONNECT,1", ">CLIENT:ENV,END");
  await until("the last", () => seen.left.length === 1);
});

test("VP-01 a daemon on hold is released and then queried", async () => {
  const vpn = await fake({ hold: true });
  const { seen } = listen(tcp(vpn.port));
  await until("the list", () => seen.lists.length === 1);
  expect(vpn.heard).toEqual(["bytecount 0", "status 3", "hold release", "status 3"]);
  expect(seen.complaints).toEqual(["ERROR: The 'status' command is not supported by the current daemon mode"]);
});

test("VP-01 after a break the server is queried again; unanswered clients are dropped", async () => {
  const vpn = await fake();
  const { seen } = listen(tcp(vpn.port));
  await until("the list", () => seen.lists.length === 1);
  vpn.plant("020000000001");
  vpn.restart();
  await until("another list", () => seen.lists.length === 2);
  expect(seen.reachable).toEqual([true, false, true]);
  const { port } = vpn;
  await vpn.stop();
  await until("the break", () => seen.reachable.at(-1) === false);
  const quiet = createServer(() => undefined).listen(port, "127.0.0.1");
  ends.push(() => void quiet.close());
  let connections = 0;
  quiet.on("connection", (socket) => {
    connections += 1;
    ends.push(() => socket.destroy());
  });
  await until("a new connection", () => connections > 0);
  expect(seen.reachable).toEqual([true, false, true, false]);
});

test("VP-01 a server that stops responding is detected by the next poll", async () => {
  const vpn = await fake();
  const { seen } = listen(tcp(vpn.port), { listMs: 2_000 });
  await until("a second list", () => seen.lists.length > 1);
  vpn.mute();
  await until("the end", () => seen.reachable.length === 2);
  expect(seen.reachable).toEqual([true, false]);
});

test("VP-01 nothing is reported after the stop", async () => {
  const vpn = await fake();
  const { server, seen } = listen(tcp(vpn.port));
  await until("the list", () => seen.lists.length === 1);
  server.stop();
  await until("the end of the connection", () => !vpn.isManaged());
  listen(tcp(vpn.port));
  await until("another manager", () => vpn.heard.length === 4);
  expect(seen.reachable).toEqual([true]);
});

test("VP-01 no one is admitted while requests can't be checked", async () => {
  const vpn = await fake();
  listen(tcp(vpn.port), { mayConnect: () => Promise.reject(new Error("no database")) });
  expect(await vpn.join("020000000001")).toBe("refused");
});

test("VP-01 a decision after a broken connection is dropped", async () => {
  const vpn = await fake();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const { seen } = listen(tcp(vpn.port), { mayConnect: () => promise });
  void vpn.join("020000000001");
  await until("the question", () => seen.lists.length === 1);
  vpn.restart();
  await until("another connection", () => seen.lists.length === 2);
  resolve(true);
  await promise;
  await new Promise(setImmediate);
  expect(vpn.heard.filter((line) => line.startsWith("client-"))).toEqual([]);
});

const header =
  "HEADER\tCLIENT_LIST\tCommon Name\tReal Address\tVirtual Address\tVirtual IPv6 Address\tConnected Since (time_t)\tClient ID";
test.each<[string, string]>([
  ["a line without end", "x".repeat(20_000)],
  ["a long line", `${"x".repeat(20_000)}\n`],
  ["an environment that breaks off", ">CLIENT:CONNECT,1,1\n>CLIENT:ENV,a=b\n>CLIENT:CONNECT,2,1\n"],
  ["a question without its key", ">CLIENT:CONNECT,1\n>CLIENT:ENV,common_name=020000000001\n>CLIENT:ENV,END\n"],
  [
    "an endless environment",
    `>CLIENT:CONNECT,1,1\n${Array.from({ length: 1_100 }, (_, n) => `>CLIENT:ENV,k${n}=v\n`).join("")}`,
  ],
  ["rows without a header", "CLIENT_LIST\t020000000001\t1.2.3.4:5\t10.8.0.2\n"],
])("T-17 %s ends the connection, and the next one is fresh", async (_case, said) => {
  const { port, sockets } = await peer();
  const { seen } = listen(tcp(port));
  await until("a connection", () => sockets.length === 1);
  sockets[0]?.write(said);
  await until("the next connection", () => sockets.length >= 2);
  sockets.at(-1)?.write(`${header}\nEND\n`);
  await until("a list", () => seen.lists.length === 1);
  expect(seen.came).toEqual([]);
});

test("T-17 foreign notices, invalid addresses and ids are skipped", async () => {
  const { port, sockets, heard } = await peer();
  const { seen } = listen(tcp(port));
  await until("a connection", () => sockets.length === 1);
  const rows = [
    "CLIENT_LIST\t020000000001\tudp4:203.0.113.5:1194\t10.8.0.2\t\t1795593600\t7",
    "CLIENT_LIST\t020000000002\t[2001:db8::1]:1194\t\tfd00::2\t-1\t8",
    "CLIENT_LIST\t020000000003\t<script>\t10.8.0.4\t\tnever\t9",
    "CLIENT_LIST\t020000000004\t203.0.113.5:1\tnowhere\t\t1\t10",
    "CLIENT_LIST\t020000000005\t203.0.113.5:1\t10.8.0.5\t\t1\t11; kill",
    "CLIENT_LIST",
  ];
  sockets[0]?.write(
    [
      ">LOG:1,I,hello",
      ">CLIENT:",
      ">CLIENT:SOMETHING,1",
      ">CLIENT:CONNECT,1;signal SIGTERM,1",
      ">CLIENT:ENV,stray=1",
      "END",
      "\u0000\uFFFD",
      header,
      ...rows,
      "END",
      "",
    ].join("\r\n"),
  );
  await until("the list", () => seen.lists.length === 1);
  expect(seen.lists[0]).toEqual([
    { id: "7", name: "020000000001", publicAddress: "203.0.113.5", vpnAddress: "10.8.0.2", since: 1_795_593_600_000 },
    { id: "8", name: "020000000002", publicAddress: "2001:db8::1", vpnAddress: "fd00::2", since: null },
    { id: "9", name: "020000000003", publicAddress: null, vpnAddress: "10.8.0.4", since: null },
  ]);
  expect(heard.join("")).toBe("bytecount 0\nstatus 3\n");
});

test("VP-01 a management interface at a path", async () => {
  const folder = mkdtempSync(join(tmpdir(), "psp-vpn-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "management");
  const { sockets, heard } = await peer(path);
  const { seen } = listen({ kind: "openvpn", path });
  await until("a connection", () => heard.join("").includes("status 3"));
  sockets[0]?.write(`${header}\nEND\n`);
  await until("a list", () => seen.lists.length === 1);
});

test("T-17 of thousands of waiting clients the excess is refused", async () => {
  const { port, sockets, heard } = await peer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  listen(tcp(port), { mayConnect: () => promise });
  await until("a connection", () => sockets.length === 1);
  const ask = (n: number) => `>CLIENT:CONNECT,${n},1\n>CLIENT:ENV,common_name=020000000001\n>CLIENT:ENV,END\n`;
  sockets[0]?.write(Array.from({ length: 1_500 }, (_, n) => ask(n)).join(""));
  const answers = () =>
    heard
      .join("")
      .split("\n")
      .filter((line) => line.startsWith("client-"));
  await until("refusals", () => answers().length === 500);
  expect(answers().every((line) => line.startsWith("client-deny "))).toBe(true);
  resolve(true);
  await until("the others", () => answers().length === 1_500);
});
