// Tests VPN with the simulator as both sensor and VPN server, as in the demo.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { wireId } from "@psp/contract/kit/ids.ts";
import type { Vpn } from "@psp/contract/vpn/vpn.ts";
import { vpnLinkOf, vpnStateOf } from "@psp/contract/vpn/vpn-state.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { findFreePorts } from "../testing/free-ports.ts";
import { requestInitToken } from "../testing/devices/remote-sensor.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
const id = "02:00:00:00:0F:01";
let world: World;
let owner: Person;
let fleet: ChildProcess;
let [management, pages] = [0, 0];

beforeAll(async () => {
  [management = 0, pages = 0] = await findFreePorts(2);
  const servers = [
    {
      id: "demo",
      name: "Demo VPN",
      management: `simulated://127.0.0.1:${management}`,
      baseUrl: `vpn.localhost:${pages}`,
    },
  ];
  world = await createWorld({ env: { PARTS: "api,gateway", VPN_SERVERS: JSON.stringify(servers) } });
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
  fleet = await start();
});
afterAll(async () => {
  fleet.kill("SIGKILL");
  await world.stop();
});

/** Starts the fleet. `orders` are commands for its standard input. */
async function start(orders = ""): Promise<ChildProcess> {
  const token = await requestInitToken(world, owner);
  const vpn = ["--vpn-management-port", String(management), "--vpn-port", String(pages)];
  const args = [
    simulator,
    "one",
    "--id",
    id,
    "--type",
    "APS",
    "--url",
    world.url,
    "--token",
    token,
    ...vpn,
    "--rest",
    "harbour-lantern-9",
    "--commands",
  ];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "ignore", "inherit"] });
  child.stdin.write(orders);
  return child;
}

const vpn = async () => (await world.call(owner, "GET", `/api/sensor/${id}`)).at("vpn") as Vpn | null;
const ask = (connectToVPN: boolean) => world.call(owner, "PUT", `/api/sensor/${id}`, { body: { connectToVPN } });
const inState = (state: string) => until(state, async () => vpnStateOf(await vpn(), false) === state);

/** Returns the status of a request. Like in a browser, names below localhost resolve to this machine. */
function visit(link: string): Promise<number> {
  const { host, port, pathname } = new URL(link);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path: pathname, headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end();
  });
}

test(
  "VP-01 the simulated sensor connects, disconnects on withdrawal, and its page responds",
  { tags: "prove" },
  async () => {
    await until("the option", async () => (await vpn())?.enabledOnSensor === true);
    expect(vpnStateOf(await vpn(), false)).toBe("NOT_CONNECTED");
    const reply = await ask(true);
    expect(reply.status).toBe(200);
    expect(vpnStateOf(reply.at("vpn") as Vpn | null, false)).toBe("PENDING");
    await inState("CONNECTED");
    const link = vpnLinkOf(await vpn(), "http:") ?? "";
    expect(link).toBe(`http://hmi-${wireId(id)}.vpn.localhost:${pages}/`);
    // The sensor itself responds with its own login. The host of a sensor that is not connected gets a 404.
    expect(await visit(`${link}apiv1/counts`)).toBe(401);
    expect(await visit(`${link.replace(wireId(id), "020000000f02")}apiv1/counts`)).toBe(404);
    expect((await ask(false)).status).toBe(200);
    await inState("SLEEPING");
  },
);

test("VP-01 a restarted VPN server gets its clients back", { tags: "prove" }, async () => {
  await ask(true);
  await inState("CONNECTED");
  fleet.kill("SIGKILL");
  await once(fleet, "exit");
  // The VPN server is back at once, but its client only when the sensor's network works again.
  fleet = await start(`fault ${id} outage@0\n`);
  await inState("PENDING");
  fleet.stdin?.write(`heal ${id}\n`);
  await inState("CONNECTED");
});
