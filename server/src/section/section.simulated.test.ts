// Tests settings sections with a simulated ZOD and PS.C1: saved values are read back, with the device's info (SE-06, SE-07).
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { requestInitToken } from "../testing/devices/remote-sensor.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
/** A ZOD and a PS.C1 with a license for dwell time. */
const ids = { ZOD: "02:00:00:00:5E:03", "PS.C1": "02:00:00:00:5E:05", APS: "" } as const satisfies Record<
  SensorType,
  string
>;
type Type = "ZOD" | "PS.C1";

let world: World;
let owner: Person;
const running: ChildProcess[] = [];
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway" } });
  owner = await world.account("Tram Lines", world.root, fullPermissions);
  const token = await requestInitToken(world, owner);
  for (const type of ["ZOD", "PS.C1"] as const) {
    const args = [simulator, "one", "--id", ids[type], "--type", type, "--url", world.url, "--token", token];
    running.push(spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] }));
  }
  for (const type of ["ZOD", "PS.C1"] as const) await reachable(type);
});
afterAll(async () => {
  for (const one of running) one.kill("SIGKILL");
  await world.stop();
});

const reachable = (type: Type) =>
  until(`the tunnel of the ${type}`, async () => {
    const reply = await world.call(owner, "GET", `/api/sensor/${ids[type]}`);
    return reply.at("psconnect.connectionStatus") === "connected";
  });

const ask = (type: Type, method: string, params: object) =>
  world.call(owner, "POST", `/api/sensor/${ids[type]}/rpc`, { body: { jsonrpc: "2.0", id: 1, method, params } });
async function read(type: Type, section: string): Promise<{ rev: number; values: JsonObject }> {
  const reply = await ask(type, "config.get", { section });
  expect(reply.at("result.source"), JSON.stringify(reply.body)).toBe("device");
  return reply.at("result") as { rev: number; values: JsonObject };
}

type Change = (values: JsonObject) => JsonObject;
const first = (list: unknown): JsonObject => (list as JsonObject[])[0] ?? {};
const endpoint = {
  id: "e1",
  name: "Receiver",
  enabled: true,
  url: "https://receiver.example/in",
  username: "u",
  password: "p",
};
const cases: [Type, string, Change][] = [
  [
    "ZOD",
    "camera",
    (v) => ({
      ...v,
      blurPreviews: false,
      cameras: (v["cameras"] as JsonObject[]).map((c) => ({ ...c, heightCm: 240 })),
    }),
  ],
  ["ZOD", "measurement", (v) => ({ ...v, smoothingS: 25, minHeightCm: 90, sleepAfterMin: 0, reportAt: "departure" })],
  [
    "ZOD",
    "group",
    (v) => ({
      ...v,
      coach: { name: "Wagon 7", vehicleId: "tram-7.b", carriageSequence: 2 },
      sections: [
        ...(v["sections"] as JsonObject[]),
        { ...first(v["sections"]), id: "s99", name: "Rear end", seats: 8, standing: 12 },
      ],
    }),
  ],
  ["ZOD", "dataendpoint", () => ({ endpoints: [endpoint] })],
  ["ZOD", "psp", (v) => ({ ...v, bufferDays: 14 })],
  ["ZOD", "gps", (v) => ({ ...v, intervalS: 30, minMoveM: 0 })],
  ["PS.C1", "camera", (v) => ({ ...v, mountHeightCm: 420, rotation: 90, statusLed: false })],
  [
    "PS.C1",
    "applications",
    (v) => ({
      ...v,
      lines: [
        {
          ...first(v["lines"]),
          name: "Main door",
          points: [
            { x: 5, y: 40.5 },
            { x: 50, y: 60 },
            { x: 95, y: 40.5 },
          ],
          inSide: "right",
        },
      ],
      occupancy: { enabled: true },
      zones: [
        {
          id: "z1",
          name: "Queue",
          points: [
            { x: 10, y: 10 },
            { x: 40, y: 10 },
            { x: 40, y: 35.5 },
          ],
        },
      ],
    }),
  ],
  ["PS.C1", "dataendpoint", () => ({ endpoints: [endpoint] })],
  ["PS.C1", "security", (v) => ({ ...v, localHttpsPort: 8443, editPassword: "violet-harbour-7" })],
];

/** Secrets are never returned; a flag tells whether there is one. */
function asRead(values: unknown): unknown {
  if (Array.isArray(values)) return values.map(asRead);
  if (typeof values !== "object" || values === null) return values;
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
      if (/password$/i.test(key)) return [[`${key}Set`, true]];
      return /PasswordSet$|^passwordSet$/.test(key) ? [] : [[key, asRead(value)]];
    }),
  );
}
const withoutFlags = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !key.endsWith("Set")));

test.each(cases)(
  "SE-06 SE-07 %s: section %s is saved to the simulated sensor and read back",
  async (type, section, change) => {
    const before = await read(type, section);
    const next = change(withoutFlags(before.values));
    const set = await ask(type, "config.set", { section, values: next, rev: before.rev });
    expect(set.at("result.applied"), JSON.stringify(set.body)).toMatch(/^(now|restart)$/);
    const after = await read(type, section);
    expect(after.rev).toBeGreaterThan(before.rev);
    expect(after.values).toMatchObject(asRead(next) as object);
    const late = await ask(type, "config.set", { section, values: withoutFlags(before.values), rev: before.rev });
    expect(late.at("error.code")).toBe(-32002);
    expect((await read(type, section)).rev).toBe(after.rev);
  },
);

test("SE-07 the device refuses what only it can check, naming the field", async () => {
  const { rev, values } = await read("PS.C1", "network");
  const used = { mode: "static", address: "10.1.1.250", prefix: 24, gateway: "10.1.1.1", dns: ["10.1.1.1"] };
  const reply = await ask("PS.C1", "config.set", { section: "network", values: { ...values, ...used }, rev });
  expect(reply.at("error")).toMatchObject({
    code: -32602,
    data: { fields: [{ path: "address", message: "This address is already in use." }] },
  });
});

test(
  "SE-07 a network change is confirmed once the sensor is back, which is busy until then",
  { tags: "prove" },
  async () => {
    const { rev, values } = await read("PS.C1", "network");
    const next = { ...values, hostname: "psc1-front-door" };
    const set = () => ask("PS.C1", "config.set", { section: "network", values: next, rev });
    const { db } = world.ctx;
    // Both calls must arrive together, because the sensor disconnects soon after its response. It checks whether it is
    // busy before it checks the revision.
    const { both } = await db.transaction().execute(async (tx) => {
      await sql`lock table sensor_section`.execute(tx);
      const calls = [set(), set()];
      await untilSomebodyWaits(db, calls.length);
      return { both: calls };
    });
    const replies = await Promise.all(both);
    const results = replies.map((reply) => reply.at("result")).filter((result) => result !== undefined);
    expect(results).toEqual([{ rev: rev + 1, applied: "confirm", confirmWithinS: 60 }]);
    const refusals = replies.map((reply) => reply.at("error.code")).filter((code) => code !== undefined);
    expect(refusals).toEqual([-32001]);
    await until("confirmed", async () => {
      const reply = await ask("PS.C1", "config.get", { section: "network" });
      return reply.at("result.source") === "device" && reply.at("result.lastChange.outcome") === "confirmed";
    });
    expect((await read("PS.C1", "network")).values).toMatchObject({ hostname: "psc1-front-door" });
    const actions = async () => (await world.trail(ids["PS.C1"])).map(({ action }) => action);
    await until("recorded", async () => (await actions()).includes("config.confirm"));
    expect(await actions()).toEqual(expect.arrayContaining(["config.set", "config.confirm"]));
  },
);

test("SE-06 SE-07 the simulated sensors show what they see", async () => {
  const occupancy = await ask("ZOD", "preview.get", { kind: "occupancy" });
  expect(occupancy.at("result.coach.capacity"), JSON.stringify(occupancy.body)).toBeGreaterThan(0);
  expect((await ask("ZOD", "preview.get", { kind: "gps" })).at("result.fix")).toBeTypeOf("string");
  for (const type of ["ZOD", "PS.C1"] as const) {
    const cameras = (await ask(type, "preview.get", { kind: "cameras" })).at("result.cameras") as JsonObject[];
    expect(cameras.length).toBeGreaterThan(0);
    for (const { jpeg } of cameras)
      expect(Buffer.from(String(jpeg), "base64").subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
  }
});
