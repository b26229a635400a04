// A running server with sensors, tunnels and people, for tests of the proxy.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { until } from "../devices/device-world.ts";
import { type Ask, cookieOf, type Page, visit } from "./page-browser.ts";
import { enrolSensor, requestInitToken } from "../devices/remote-sensor.ts";
import { type OpenTunnel, openTunnel, type Serve, type Upgrade } from "../devices/tunnel-device.ts";
import { createWorld, type Person, type Reply, type World } from "../world.ts";

export type PagedSensor = { id: string; wire: string; host: string; password: string };
export type PagedWorld = Awaited<ReturnType<typeof createPagedWorld>>;

export const echo: Serve = (request, reply, body) =>
  void reply
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));

/** An owner, an account below it that may only view the owner's sensors, and an unrelated account. */
export async function createPagedWorld() {
  const world: World = await createWorld({
    env: { PARTS: "api,gateway,worker", TEST_CLOCK: "on", PUBLIC_URL: "http://console.test" },
  });
  const owner = await world.account("Harbour Stores", world.root, fullPermissions);
  const viewer = await world.account("Harbour Office", owner, {
    ownable: { sensor: { canViewObject: { relativeAncestorLevel: 1 } } },
  });
  const stranger = await world.account("Other Customer", world.root, fullPermissions);
  const token = await requestInitToken(world, owner);
  let last = 0;

  async function enrol(): Promise<PagedSensor> {
    last += 1;
    const id = toMac(0x0016_28fd_0000 + last);
    const { mqtt } = await enrolSensor(world.url, { token, id });
    return { id, wire: mqtt.username, password: mqtt.password, host: `${mqtt.username}.devices.localhost` };
  }

  async function pagedSensor(serve: Serve = echo, take?: Upgrade): Promise<PagedSensor & { tunnel: OpenTunnel }> {
    const sensor = await enrol();
    const tunnel = await openTunnel(world.url, sensor, serve, take);
    await becomes(owner, sensor, "connected");
    return { ...sensor, tunnel };
  }

  const becomes = (who: Person, { id }: PagedSensor, status: "connected" | "disconnected"): Promise<true> =>
    until(status, async () => {
      const reply = await world.call(who, "GET", `/api/sensor/${id}`);
      return reply.at("psconnect.connectionStatus") === status;
    });

  const ask = (who: Person, id: string, params: object = {}, more: object = {}): Promise<Reply> =>
    world.call(who, "POST", `/api/sensor/${id}/psconnect`, {
      ...more,
      body: { func: "getAutoLoginToken", params: { service: "device-hmi", user: "user-role-edit", ...params } },
    });

  async function enter(who: Person, sensor: PagedSensor, params: object = {}): Promise<string> {
    const reply = await ask(who, sensor.id, params);
    const token = reply.at("result");
    if (typeof token !== "string") throw new Error(`no token to enter with: ${JSON.stringify(reply.body)}`);
    const page = await visit(world.url, sensor.host, `/?token=${token}`);
    if (page.status !== 303 || page.headers.location !== "/") throw new Error(`entering answered ${page.status}`);
    return cookieOf(page);
  }

  const at = (sensor: PagedSensor, cookie: string, path: string, { headers, ...rest }: Ask = {}): Promise<Page> =>
    visit(world.url, sensor.host, path, { ...rest, headers: { cookie: `psp_remote=${cookie}`, ...headers } });

  async function logOut(who: Person): Promise<void> {
    const [own] = (await world.call(who, "GET", "/api/auth/sessions")).list;
    const reply = await world.call(who, "DELETE", `/api/auth/sessions/${String(own?.["_id"])}`);
    if (reply.status !== 200) throw new Error(`logout answered ${reply.status}`);
  }

  const sessions = (who: Person, { id }: PagedSensor) => world.call(who, "GET", `/api/sensor/${id}/remote-session`);

  return { world, owner, viewer, stranger, enrol, pagedSensor, becomes, ask, enter, at, logOut, sessions };
}
