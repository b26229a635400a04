// Tests tunnels end to end: admission, visible state, endings, and hostile devices (T-17).
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createSecretCheck } from "../device/credential/credential.ts";
import { connectDevice, until } from "../testing/devices/device-world.ts";
import { enrolSensor, requestInitToken } from "../testing/devices/remote-sensor.ts";
import {
  basicAuthHeader,
  type Credential,
  openSocket,
  openTunnel,
  fetchRefusal,
  type Serve,
} from "../testing/devices/tunnel-device.ts";
import { stopwatch } from "../testing/devices/stopwatch.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { startTunnels, type TunnelGuard } from "./tunnel.guard.ts";
import { TunnelError } from "./tunnel.service.ts";
import { type TunnelTiming, tunnelTiming } from "./tunnel.session.ts";

let world: World;
let owner: Person;
let token: string;
let side: Side;
let guard: TunnelGuard;
let hasty: string;
let last = 0;
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway,worker", TEST_CLOCK: "on" } });
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
  token = await requestInitToken(world, owner);
  side = await openSide({ readyMs: 3_000 });
  ({ guard, url: hasty } = side);
});
afterAll(async () => {
  await side.stop();
  await world.stop();
});

type Side = { guard: TunnelGuard; url: string; stop(): Promise<void> };
/**
 * Starts a tunnel endpoint with these limits. They should be no shorter than needed, because a busy machine slows good sensors down.
 */
async function openSide(limits: Partial<TunnelTiming>): Promise<Side> {
  const http = createServer();
  const made = startTunnels(world.ctx, http, {
    authenticate: createSecretCheck(world.ctx),
    limits: { ...tunnelTiming, registryMs: 200, ...limits },
  });
  await new Promise<void>((go) => http.listen(0, "127.0.0.1", go));
  return {
    guard: made,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async stop() {
      await made.stop();
      http.closeAllConnections();
      http.close();
    },
  };
}

type Sensor = Credential & { id: string; reply: EnrolReply };
async function enrol(extra: object = {}): Promise<Sensor> {
  last += 1;
  const id = toMac(0x0016_28fc_0000 + last);
  const credential = await enrolSensor(world.url, { token, id, ...extra });
  const { username: wire, password } = credential.mqtt;
  return { id, wire, password, reply: credential };
}
const numOf = async (id: string) =>
  (await world.ctx.db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow()).num;
const hello: Serve = (request, reply, body) => void reply.end(`${request.method} ${request.url} ${body}`);
const statusOf = async (id: string) =>
  (await world.call(owner, "GET", `/api/sensor/${id}`)).at("psconnect") as {
    connectionStatus: string;
    statusChangedAt: string;
  } | null;
const become = (id: string, status: string) =>
  until(`${id} ${status}`, async () => (await statusOf(id))?.connectionStatus === status);
async function usable(sensor: Sensor, serve: Serve = hello, at = side) {
  const opened = await openTunnel(at.url, sensor, serve);
  onTestFinished(() => opened.close());
  await until("the tunnel", () => at.guard.isOpen(sensor.id));
  return opened;
}
const ask = (id: string, extra: object = {}) => guard.request(id, { method: "GET", path: "/", ...extra });
async function failure(asked: Promise<unknown>): Promise<TunnelError> {
  const error = await asked.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TunnelError);
  return error as TunnelError;
}

test("opening and closing a tunnel is published, whatever the sensor reports over MQTT", async () => {
  const sensor = await enrol();
  const screen = await world.live(owner);
  expect(await statusOf(sensor.id)).toBeNull();
  const opened = await openTunnel(world.url, sensor, hello);
  await become(sensor.id, "connected");
  const since = (await statusOf(sensor.id))?.statusChangedAt ?? "";
  expect(Math.abs(Date.parse(since) - world.ctx.clock.now())).toBeLessThan(10_000);
  // Waits for each status separately, because simultaneous changes are combined.
  const announced = (status: string) =>
    until(`${status} on the live channel`, () => {
      const last = screen.frames.findLast((frame) => frame.obj?.["_id"] === sensor.id);
      return (last?.obj?.["psconnect"] as { connectionStatus: string } | null)?.connectionStatus === status;
    });
  await announced("connected");
  opened.close();
  await become(sensor.id, "disconnected");
  await announced("disconnected");
  const device = await connectDevice(world.server.mqttPort ?? 0, sensor.reply);
  onTestFinished(() => device.end());
  const info = { software: { firmware: { version: "7.7.7" } } };
  await device.up("reported", { rev: 0, psconnect: { connectionStatus: "connected" }, info });
  const seen = await world.call(owner, "GET", `/api/sensor/${sensor.id}`);
  expect(seen.at("info.software.firmware.version")).toBe("7.7.7");
  expect(seen.at("psconnect.connectionStatus")).toBe("disconnected");
});

test("T-17 a wrong password, foreign id, no login and nonsense are refused alike", async () => {
  const [one, other] = [await enrol(), await enrol()];
  const refused = [
    {},
    basicAuthHeader({ wire: one.wire, password: "wrong" }),
    basicAuthHeader({ wire: one.wire, password: other.password }),
    basicAuthHeader({ wire: "001628fcffff", password: one.password }),
    basicAuthHeader({ wire: one.id, password: one.password }),
    basicAuthHeader({ wire: one.wire, password: "" }),
    { authorization: `Bearer ${owner.token}` },
    { authorization: "Basic ***" },
    { authorization: `Basic ${"A".repeat(5000)}` },
    { cookie: `session=${owner.token}` },
  ];
  for (const headers of refused) expect(await fetchRefusal(world.url, headers), JSON.stringify(headers)).toBe("401");
  expect(await statusOf(one.id)).toBeNull();
});

test("T-17 the newest tunnel of a sensor wins, also across processes", async () => {
  const sensor = await enrol();
  const first = await usable(sensor, (_request, reply) => void reply.end("first"));
  const second = await openTunnel(hasty, sensor, (_request, reply) => void reply.end("second"));
  onTestFinished(() => second.close());
  expect(await first.closed).toBe(4409);
  expect((await ask(sensor.id)).body.toString()).toBe("second");
  const elsewhere = await openTunnel(world.url, sensor, hello);
  expect(await second.closed).toBe(4409);
  expect(guard.isOpen(sensor.id)).toBe(false);
  await become(sensor.id, "connected");
  elsewhere.close();
  await become(sensor.id, "disconnected");
});

test("T-17 a newer tunnel at another process wins even if its message is lost", async () => {
  const sensor = await enrol();
  const tunnel = await usable(sensor, hello);
  await become(sensor.id, "connected");
  const num = await numOf(sensor.id);
  // What the other process stores.
  const id = "0197a000-0000-7000-8000-000000000077";
  await world.ctx.db.updateTable("tunnel").set({ id }).where("sensor_num", "=", num).execute();
  expect(await tunnel.closed).toBe(4409);
});

test("T-17 a connection without HTTP/2 does not replace the working tunnel", async () => {
  const sensor = await enrol();
  await usable(sensor);
  const mute = await openSocket(hasty, basicAuthHeader(sensor));
  expect(await mute.closed).toBe(1002);
  expect((await ask(sensor.id, { path: "/still" })).body.toString()).toBe("GET /still ");
});

test("a deletion, new owner, claim or re-registration ends the tunnel within two seconds", async () => {
  const ended = async (what: (sensor: Sensor) => Promise<unknown>) => {
    const sensor = await enrol();
    const opened = await usable(sensor);
    await what(sensor);
    const passed = stopwatch();
    expect(await opened.closed).toBe(4401);
    expect(passed()).toBeLessThan(2_000);
    return sensor;
  };
  const deleted = await ended((sensor) => world.call(owner, "DELETE", `/api/sensor/${sensor.id}`));
  expect(await fetchRefusal(hasty, basicAuthHeader(deleted))).toBe("401");

  const heir = await world.account("Heir", owner, fullPermissions);
  const given = await ended((sensor) =>
    world.call(owner, "PUT", `/api/sensor/${sensor.id}`, { body: { owner: heir.id } }),
  );
  await usable(given);

  const claimer = await world.account("Claimer", world.root, fullPermissions);
  await ended(async (sensor) => {
    await world.call(owner, "PUT", `/api/sensor/${sensor.id}`, { body: { claimable: true } });
    const code = (await world.call(owner, "GET", `/api/sensor/${sensor.id}`)).at("claimingCode");
    const reply = await world.call(claimer, "POST", "/api/claim/", {
      body: { sensors: [{ id: sensor.id, type: "APS", claimingCode: code }] },
    });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  });
});

test("T-17 anything but HTTP/2 ends the tunnel: garbage, silence, floods, oversized messages", async () => {
  const tries: [string, (send: (data: Buffer | string) => void, ping: () => void) => void][] = [
    ["garbage", (send) => send(Buffer.alloc(4096, "nonsense"))],
    ["HTTP/1.1", (send) => send(Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"))],
    ["text", (send) => send("hello")],
    ["silence", () => undefined],
    ["a huge frame", (send) => send(Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1]))],
    ["an oversized message", (send) => send(Buffer.alloc(1024 * 1024))],
    // A valid SETTINGS frame, then an endless stream of meaningless frames.
    ["frames without end", (send) => send(Buffer.concat([settings, ...Array(9000).fill(priority)]))],
    ["settings without end", (send) => send(Buffer.concat(Array(5000).fill(settings)))],
    ["pings without end", (_send, ping) => void Array.from({ length: 3000 }, ping)],
    ["a response no one asked for", (send) => send(Buffer.concat([settings, frame(1, 4, 1, Buffer.from([0x88]))]))],
    ["a push", (send) => send(Buffer.concat([settings, frame(5, 4, 1, Buffer.from([0, 0, 0, 2, 0x88]))]))],
  ];
  for (const [what, harm] of tries) {
    const sensor = await enrol();
    const opened = await openSocket(hasty, basicAuthHeader(sensor));
    harm(
      (data) => opened.socket.send(data),
      () => opened.socket.ping(Buffer.alloc(100)),
    );
    const closed = opened.closed.then(() => what);
    expect(await Promise.race([closed, delay(60_000, "still open", { ref: false })])).toBe(what);
    expect(guard.isOpen(sensor.id), what).toBe(false);
  }
  expect((await world.call(owner, "GET", "/health")).status).toBe(200);
});

const frame = (type: number, flags: number, stream: number, payload = Buffer.alloc(0)) => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
const settings = frame(4, 0, 0);
const priority = frame(2, 0, 3, Buffer.from([0, 0, 0, 0, 16]));

test("T-17 endless, truncated, slow or header-heavy responses are errors", async () => {
  const sensor = await enrol();
  await usable(sensor, (request, reply) => {
    const { url } = request;
    reply.stream.on("close", () => reply.destroy());
    if (url === "/endless") {
      const more = () => {
        while (!reply.destroyed && reply.write(Buffer.alloc(16_384)));
        if (!reply.destroyed) reply.once("drain", more);
      };
      more();
    } else if (url === "/headers")
      reply
        .writeHead(200, Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`x-${n}`, "y".repeat(200)])))
        .end();
    else if (url === "/cut") {
      reply.write("half of");
      setTimeout(() => reply.stream.close(2), 20);
    } else if (url === "/slow") reply.write("a");
    else reply.end("fine");
  });
  expect(await failure(ask(sensor.id, { path: "/endless" }))).toMatchObject({ sent: true, message: /too large/ });
  expect((await failure(ask(sensor.id, { path: "/cut" }))).sent).toBe(true);
  expect(await failure(ask(sensor.id, { path: "/slow", timeoutMs: 300 }))).toMatchObject({ message: /in time/ });
  expect((await failure(ask("00:16:28:FC:00:FE"))).sent).toBe(false);
  expect((await failure(ask(sensor.id, { path: "/headers" }))).sent).toBe(true);
  const other = await enrol();
  await usable(other);
  expect((await ask(other.id)).body.toString()).toBe("GET / ");
});

test("T-17 excess requests are refused, and all fail when the sensor is gone", async () => {
  const sensor = await enrol();
  const opened = await usable(sensor, () => undefined);
  const asked = Array.from({ length: 40 }, () => failure(ask(sensor.id)));
  const refused = await Promise.all(asked.slice(32));
  expect(refused.every((error) => !error.sent)).toBe(true);
  opened.close();
  expect((await Promise.all(asked.slice(0, 32))).every((error) => error.sent)).toBe(true);
});

test("T-17 a missing pong ends the tunnel", async () => {
  const watchful = await openSide({ beatMs: 1_000 });
  onTestFinished(() => watchful.stop());
  const sensor = await enrol();
  const opened = await usable(sensor, hello, watchful);
  // Stops reading and sending, like a sensor behind a dead router.
  (opened.socket as unknown as { _socket: { pause(): void } })._socket.pause();
  await until("the tunnel given up", () => !watchful.guard.isOpen(sensor.id));
  await become(sensor.id, "disconnected");
});

test("T-17 a sensor that keeps opening tunnels must wait", async () => {
  const sensor = await enrol();
  const answers: string[] = [];
  for (let n = 0; n < 32; n += 1) answers.push(await fetchRefusal(hasty, basicAuthHeader(sensor)));
  expect(answers.slice(0, 30).every((answer) => answer === "open")).toBe(true);
  expect(answers.slice(30)).toEqual(["429", "429"]);
  const now = new Date(world.ctx.clock.now() + 61_000).toISOString();
  await world.call(null, "PUT", "/dev/clock", { body: { now } });
  await usable(sensor);
});

test("after a renewal, the old password's tunnel ends within ten minutes", async () => {
  const sensor = await enrol({ csr: "key-of-this-device" });
  const opened = await usable(sensor);
  await fetch(`${world.url}/device/v1/enrol`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, id: sensor.id, type: "APS", nonce: "n", time: 0, csr: "key-of-this-device" }),
  });
  const now = new Date(world.ctx.clock.now() + 11 * 60_000).toISOString();
  await world.call(null, "PUT", "/dev/clock", { body: { now } });
  expect(await fetchRefusal(world.url, basicAuthHeader(sensor))).toBe("401");
  expect(await opened.closed).toBe(4401);
});

test("tunnels of a killed process disconnect once it counts as dead", async () => {
  const sensor = await enrol();
  const num = await numOf(sensor.id);
  const host = "0197a000-0000-7000-8000-00000000dead";
  // Uses one transaction, because the heartbeat, several times a second, would otherwise remove the dead process in between.
  await world.ctx.db.transaction().execute(async (tx) => {
    await tx
      .insertInto("tunnel_host")
      .values({ id: host, seen_at: new Date(Date.now() - 60_000) })
      .execute();
    await tx.insertInto("tunnel").values({ sensor_num: num, id: host, host_id: host, opened_at: new Date() }).execute();
    await tx
      .updateTable("sensor")
      .set({ psconnect: JSON.stringify({ connectionStatus: "connected", statusChangedAt: null }) })
      .where("num", "=", num)
      .execute();
  });
  await until("the orphan", async () => (await statusOf(sensor.id))?.connectionStatus === "disconnected");
});
