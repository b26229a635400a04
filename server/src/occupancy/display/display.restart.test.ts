// Tests displays while parts of the server stop and start: no count is lost, and an unknown state is never shown as known (OC-02).
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "../../context.ts";
import type { Server } from "../../process/server.ts";
import { birth, connectDevice, until } from "../../testing/devices/device-world.ts";
import { connectSensor } from "../../testing/devices/remote-sensor.ts";
import { startBeside } from "../../testing/scenes/second-server.ts";
import { shortenTimer } from "../../testing/shortened-timer.ts";
import { createWorld, type Person, type World } from "../../testing/world.ts";
import {
  enableDisplay,
  sendFlow,
  makeSensorId,
  createLicensedLocation,
  openDisplay,
  record,
  sendRecords,
} from "../display.testing.ts";
import { createDisplayHub } from "./display.live.ts";
import { checkEveryMs } from "./flow-listener.live.ts";

let world: World;
let owner: Person;
const running: Server[] = [];
const folders: string[] = [];
const minuteMs = 60_000;

async function part(parts: string): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "psp-display-"));
  folders.push(folder);
  const server = await startBeside(world, parts, folder);
  running.push(server);
  return server;
}

let restoreChecks: () => void;
beforeAll(async () => {
  restoreChecks = shortenTimer("setInterval", checkEveryMs, 100);
  world = await createWorld();
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
});
afterAll(async () => {
  restoreChecks();
  for (const one of running) await one.stop();
  await world.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

test("OC-02 after a gateway start the light is unknown until a sensor reports; counts are kept", async () => {
  const first = await part("gateway");
  const place = await createLicensedLocation(world, owner);
  const sensor = await connectSensor(world, owner, makeSensorId(), first);
  await world.call(owner, "PUT", `/api/sensor/${sensor.id}`, { body: { measID: place } });
  await enableDisplay(world, owner, place, { maxObjects: 3 });
  const display = await openDisplay(world, place, owner.token);
  await display.shows({ count: 0, state: "opened" });
  const start = Math.floor(Date.now() / minuteMs) * minuteMs - 10 * minuteMs;
  await sendRecords(sensor, record(start, 2, 0));
  await display.shows({ count: 2, state: "opened" });
  await sendFlow(sensor, start, 1, 0);
  await display.shows({ count: 3, state: "closed" });
  await first.stop();
  running.splice(running.indexOf(first), 1);
  // Without a gateway the state is unknown, whatever was shown last.
  await display.shows({ count: 3, state: "unknown" });
  const now = await world.call(owner, "GET", `/api/measurement/${place}/occupancy/ledger`);
  expect(now.at("shown.state")).toBe("unknown");
  const second = await part("gateway");
  await display.shows({ count: 3, state: "unknown" });
  const other = await part("api");
  const late = await openDisplay(other, place, owner.token);
  await late.shows({ count: 3, state: "unknown" });
  const { wire: clientId, password, id: sensorId } = sensor;
  const mqtt = { host: "127.0.0.1", port: second.mqttPort ?? 0, tls: false, clientId, username: clientId, password };
  const back = await connectDevice(second.mqttPort ?? 0, { sensorId, mqtt } as Parameters<typeof connectDevice>[1]);
  await back.up("state", birth("s2"));
  for (const one of [display, late]) await one.shows({ count: 3, state: "closed" });
  const since = await world.call(owner, "GET", `/api/measurement/${place}/occupancy/ledger`);
  const kinds = (since.at("entries") as { kind: string; sens: string | null }[]).map(({ kind }) => kind);
  expect(kinds).toEqual(["reset", "count", "outage", "flow"]);
  await back.up("live", { t: "flow", at: start, since: start, lines: [{ id: "l1", in: 1, out: 2 }] }, 0);
  for (const one of [display, late]) await one.shows({ count: 1, state: "opened" });
  for (const one of [display, late]) one.socket.terminate();
  await back.end();
});

test("OC-02 an unreadable state is shown as unknown and recovers by itself", async () => {
  const place = await createLicensedLocation(world, owner);
  let isAway = true;
  const db = new Proxy(world.ctx.db, {
    get(target, name): unknown {
      if (isAway) throw new Error("The database is away");
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const ctx: Context = { ...world.ctx, db };
  const hub = createDisplayHub(ctx);
  const frames: string[] = [];
  const closed: number[] = [];
  const client = {
    sent: 0,
    send: (frame: string) => void frames.push(frame),
    close: (code: number) => void closed.push(code),
  };
  hub.join(client, place);
  await until("the first message", () => frames.length > 0);
  expect(JSON.parse(frames[0] ?? "")).toMatchObject({ op: "create", obj: { state: "unknown", count: 0 } });
  expect(closed).toEqual([]);
  isAway = false;
  // The app was never enabled, so the display is closed.
  await until("the answer", () => closed.length > 0);
  expect(closed[0]).toBe(4410);
  hub.leave(client, place);
  await hub.stop();
});

test("OC-02 T-12 a display that does not read is closed and delays no other", { tags: "prove" }, async () => {
  const place = await createLicensedLocation(world, owner);
  const aps = makeSensorId();
  await world.call(owner, "POST", "/api/sensor", { body: { _id: aps, owner: owner.id, type: "APS" } });
  await world.call(owner, "PUT", `/api/sensor/${aps}`, { body: { measID: place } });
  await enableDisplay(world, owner, place, { maxObjects: 3 });
  const display = await openDisplay(world, place, owner.token);
  await display.shows({ state: "unknown" });
  const deaf = connect(Number(new URL(world.url).port), "127.0.0.1");
  deaf.on("error", () => undefined);
  const openSockets = async () => (await world.ctx.metrics.liveSockets.get()).values[0]?.value ?? 0;
  deaf.write(
    [
      `GET /live/occupancy/${place}?token=${owner.token} HTTP/1.1`,
      "Host: x",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ].join("\r\n"),
  );
  await new Promise((resolve) => deaf.once("data", resolve));
  deaf.pause();
  const before = await openSockets();
  let people = 0;
  await until("its end", async () => {
    for (let n = 0; n < 2000; n += 1) {
      const level = {
        t: "flow" as const,
        at: Date.now(),
        since: Date.now(),
        lines: [{ id: "l1", in: (people += 1), out: 0 }],
      };
      world.ctx.bus.emit({ name: "liveLevel", event: { sensorId: aps, level } });
      await new Promise((resolve) => setImmediate(resolve));
    }
    return (await openSockets()) < before;
  });
  await display.shows({ count: people });
  display.socket.terminate();
  deaf.destroy();
});
