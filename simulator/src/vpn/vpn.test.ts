// Tests the simulated VPN: sensors connect, are admitted, serve pages, and are disconnected.
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { type VpnEvent, vpnEventSchema, type VpnCommand } from "@psp/contract/vpn/vpn-simulated.ts";
import { id, morning, openTestSensor, type TestSensor } from "../testing/test-sensor.ts";
import { waitUntil, createVirtualClock, type VirtualClock } from "../testing/virtual-clock.ts";
import { openVpnServer, type VpnServer } from "./vpn-server.ts";

const name = "020000000042";
const hourMs = 3_600_000;

async function opened(clock: VirtualClock = createVirtualClock(morning)): Promise<VpnServer> {
  const server = await openVpnServer({ management: 0, pages: 0 }, clock);
  onTestFinished(() => server.stop());
  return server;
}

/** The platform's side of the management port: records everything and responds as `allow` decides. */
async function manage({ managementPort }: VpnServer, allow: () => boolean = () => true) {
  const socket: Socket = connect(managementPort, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  const heard: VpnEvent[] = [];
  const order = (one: VpnCommand): void => void socket.write(`${JSON.stringify(one)}\n`);
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = vpnEventSchema.parse(JSON.parse(line));
      heard.push(event);
      if (event.event === "connecting") order({ do: allow() ? "allow" : "deny", id: event.id });
    }
  });
  await once(socket, "connect");
  order({ do: "list" });
  await waitUntil("the list", () => heard.length > 0);
  return { socket, heard, order, kinds: () => heard.map(({ event }) => event) };
}

function look(server: VpnServer, host: string, options: { method?: string; path?: string; body?: string } = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { method = "GET", path = "/", body } = options;
    const request = httpRequest(
      { host: "127.0.0.1", port: server.pagesPort, method, path, headers: { host } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

async function desire({ cloud }: TestSensor, vpn: { connect: boolean; until?: number } | undefined): Promise<void> {
  await cloud.send(id, "desired", { rev: (desire.rev += 1), cfg: {}, ...(vpn && { vpn }) });
}
desire.rev = 1;

const reportedStates = ({ cloud }: TestSensor) =>
  cloud.heard
    .filter(({ kind }) => kind === "reported")
    .map(({ body }) => (body as { vpn?: { state: string } }).vpn?.state);

async function connected(allow: () => boolean = () => true, rest?: string) {
  const clock = createVirtualClock(morning);
  const server = await opened(clock);
  const manager = await manage(server, allow);
  const made = await openTestSensor({ clock, vpn: server, ...(rest ? { rest } : {}) });
  await made.online();
  return { clock, server, manager, made };
}

test("VP-01 a sensor that is asked connects after a moment, says so, and leaves when that is taken back", async () => {
  const { clock, manager, made } = await connected();
  const states = () => reportedStates(made);
  await desire(made, { connect: true, until: clock.now() + hourMs });
  await waitUntil("it is on its way", () => states().at(-1) === "connecting");
  expect(manager.kinds()).toEqual(["list"]);
  clock.pass(1_500);
  await waitUntil("it is up", () => states().at(-1) === "up");
  expect(manager.heard.slice(1)).toEqual([
    { event: "connecting", id: 1, name },
    { event: "connected", id: 1, name, publicAddress: "127.0.0.1", vpnAddress: "10.8.0.1", since: clock.now() },
  ]);
  manager.order({ do: "list" });
  await waitUntil("the list", () => manager.kinds().at(-1) === "list");
  expect(manager.heard.at(-1)).toMatchObject({ clients: [{ id: 1, name, vpnAddress: "10.8.0.1" }] });
  await desire(made, undefined);
  await waitUntil("it left", () => states().at(-1) === "off");
  await waitUntil("and the server noticed", () => manager.kinds().at(-1) === "disconnected");
});

test("VP-01 it leaves by itself when its time is over, and stays when it is asked once more before", async () => {
  const { clock, manager, made } = await connected();
  await desire(made, { connect: true, until: clock.now() + hourMs });
  await waitUntil("it is on its way", () => reportedStates(made).at(-1) === "connecting");
  clock.pass(1_500);
  await waitUntil("it is up", () => reportedStates(made).at(-1) === "up");
  const reports = reportedStates(made).length;
  await desire(made, { connect: true, until: clock.now() + 2 * hourMs });
  await waitUntil("it heard", () => reportedStates(made).length > reports);
  await made.pass(2 * hourMs - 1_000);
  expect(manager.kinds()).toEqual(["list", "connecting", "connected"]);
  await made.pass(1_000);
  await waitUntil("it left", () => reportedStates(made).at(-1) === "off");
  await waitUntil("and the server noticed", () => manager.kinds().at(-1) === "disconnected");
});

test("VP-01 a refused or disconnected client retries every few seconds and reports it once", async () => {
  let mayCome = false;
  const { clock, manager, made } = await connected(() => mayCome);
  await desire(made, { connect: true });
  await waitUntil("it is on its way", () => reportedStates(made).at(-1) === "connecting");
  clock.pass(1_500);
  await waitUntil("it says so", () => reportedStates(made).at(-1) === "error");
  const tries = () => manager.kinds().filter((kind) => kind === "connecting").length;
  await made.passUntil("more tries", () => tries() === 3);
  expect(reportedStates(made).filter((state) => state === "error")).toHaveLength(1);
  mayCome = true;
  await made.passUntil("it is up", () => reportedStates(made).at(-1) === "up");
  const client = manager.heard.findLast(({ event }) => event === "connected");
  if (client?.event !== "connected") throw new Error("no client");
  manager.order({ do: "kill", id: client.id });
  await waitUntil("it is out", () => reportedStates(made).at(-1) === "error");
  await made.passUntil("it is back", () => reportedStates(made).at(-1) === "up");
});

test("without a manager no one is let in", async () => {
  const { clock, manager, made } = await connected();
  manager.socket.destroy();
  await once(manager.socket, "close");
  await desire(made, { connect: true });
  await waitUntil("it is on its way", () => reportedStates(made).at(-1) === "connecting");
  clock.pass(1_500);
  await made.passUntil("it is refused", () => reportedStates(made).at(-1) === "error");
});

test("VP-01 a break of the sensor's connection is one of its VPN, too; with the next one it connects again", async () => {
  const { manager, made } = await connected();
  await desire(made, { connect: true });
  await made.passUntil("it is up", () => reportedStates(made).at(-1) === "up");
  made.cloud.dropAll();
  await waitUntil("the server noticed", () => manager.kinds().at(-1) === "disconnected");
  await made.passUntil("it is up again", () => manager.kinds().at(-1) === "connected");
});

test("a browser gets the pages of a sensor that is in the VPN, and of no other", async () => {
  const { server, made } = await connected(() => true, "harbour-lantern-9");
  expect(await look(server, `hmi-${name}.vpn.localhost`)).toMatchObject({ status: 404 });
  await desire(made, { connect: true });
  await made.passUntil("it is up", () => reportedStates(made).at(-1) === "up");
  const login = { method: "POST", path: "/auth" };
  const right = JSON.stringify({ username: "user-role-edit", password: "harbour-lantern-9" });
  const answer = await look(server, `HMI-${name.toUpperCase()}.vpn.localhost:9301`, { ...login, body: right });
  expect([answer.status, Object.keys(JSON.parse(answer.text) as object)]).toEqual([200, ["access_token"]]);
  expect(await look(server, `hmi-${name}.vpn.localhost`, { path: "/apiv1/counts" })).toMatchObject({ status: 401 });
  for (const host of ["localhost", `${name}.vpn.localhost`, "hmi-020000000043.vpn.localhost", `hmi-${name}`, ""])
    expect((await look(server, host, { ...login, body: right })).status).toBe(404);
  expect((await look(server, `hmi-${name}.x`, { ...login, body: "x".repeat(100_000) })).status).toBe(413);
  // WebSockets work even before any page request, until the sensor leaves.
  const socket = new WebSocket(`ws://127.0.0.1:${server.pagesPort}/live`, { headers: { host: `hmi-${name}.x` } });
  const [state] = await once(socket, "message");
  expect(JSON.parse(String(state))).toMatchObject({ user: "user-role-edit", facts: { "Sensor ID": id } });
  const elsewhere = new WebSocket(`ws://127.0.0.1:${server.pagesPort}/live`, { headers: { host: "hmi-other.x" } });
  const [refusal] = await once(elsewhere, "error");
  expect(String(refusal)).toContain("404");
  const closed = once(socket, "close");
  await desire(made, undefined);
  await waitUntil("it left", () => reportedStates(made).at(-1) === "off");
  await closed;
  expect((await look(server, `hmi-${name}.vpn.localhost`, { ...login, body: right })).status).toBe(404);
});

test.each([
  ["nonsense", "no json\n"],
  ["a line without end", `{"do":"list"`.padEnd(2 * 1024 * 1024)],
  ["an unknown order", '{"do":"reboot","id":1}\n'],
  ["an order to no one", '{"do":"kill"}\n'],
])("a manager that says %s is hung up on, and the next one is heard", async (_case, said) => {
  const server = await opened();
  const { socket } = await manage(server);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(said);
  await closed;
  await manage(server);
});

test("one manager at a time", async () => {
  const server = await opened();
  await manage(server);
  const second = connect(server.managementPort, "127.0.0.1");
  second.on("error", () => undefined);
  second.resume();
  await new Promise((resolve) => second.once("close", resolve));
});
