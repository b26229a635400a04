// Checks that the demo world is complete, seeded once, and not served to the network by accident.
import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openingHoursInput } from "@psp/contract/opening/opening-hours.ts";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { personas } from "../db/seed/personas.ts";
import { startServer } from "../process/server.ts";
import { createWorld, type World } from "../testing/world.ts";
import { seedDemo } from "./demo.seed.ts";

let world: World;
let file: string | null;
const folder = mkdtempSync(join(tmpdir(), "psp-demo-"));

beforeAll(async () => {
  world = await createWorld({ env: { DEMO: "on", DEMO_SENSORS: "12" } });
  file = await seedDemo(world.ctx);
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true, force: true });
});

test("every persona signs in and sees what it is there for", async () => {
  for (const [name, { email, password }] of Object.entries(personas)) {
    const login = await world.call(null, "POST", "/api/auth/login", { body: { email, password } });
    expect(login.status, name).toBe(200);
    const sensors = await world.call(
      { ...world.root, token: String(login.at("token")) },
      "GET",
      "/api/v2/sensor?includeTotals=true",
    );
    expect(sensors.status, name).toBe(200);
    if (name === "support" || name === "operator") expect(sensors.at("total"), name).toBe(12);
  }
});

test("FW-02 every demo firmware has a file whose checksums are as listed", async () => {
  const list = (await world.call(world.root, "GET", "/api/artifact")).list as {
    _id: string;
    type: string;
    name: string;
    md5: string;
    file: { size: number; sha256: string };
  }[];
  expect(list.length).toBeGreaterThan(5);
  for (const one of list) {
    const reply = await fetch(`${world.url}/api/artifact/${one._id}/package`, {
      headers: { authorization: `Bearer ${world.root.token}` },
    });
    const data = Buffer.from(await reply.arrayBuffer());
    expect(data.subarray(0, 60).toString("latin1")).toContain(`${one.type} ${one.name}`);
    expect(data.length).toBe(one.file.size);
    expect(createHash("md5").update(data).digest("hex")).toBe(one.md5);
    expect(createHash("sha256").update(data).digest("hex")).toBe(one.file.sha256);
  }
});

test("locations inherit hours or have their own, with holidays and exceptions around today", async () => {
  const { list } = await world.call(world.root, "GET", "/api/v2/measurement?sortBy=createdAt");
  const days = await Promise.all(
    list.map(async ({ _id }) => world.call(world.root, "GET", `/api/v2/measurement/${String(_id)}/opening-days`)),
  );
  expect(days.map((reply) => String(reply.at("hoursOf"))).toSorted()).toEqual(["account", "location", "location"]);
  for (const { openingHours } of list) expect(openingHoursInput.nullable().safeParse(openingHours).success).toBe(true);
  for (const reply of days)
    expect((reply.at("days") as { name: string | null }[]).map(({ name }) => name)).toContain("Late-night shopping");
  const café = list.find(({ tags }) => (tags as string[]).includes("café"));
  expect(café).toMatchObject({ openingHours: { week: { mo: [], fr: [{}, { from: "16:00", to: "01:00" }] } } });
});

test("AC-04 a sign-up waits for review, visible to support only", async () => {
  const waiting = async (persona: keyof typeof personas) => {
    const login = await world.call(null, "POST", "/api/auth/login", {
      body: { email: personas[persona].email, password: personas[persona].password },
    });
    const who = { ...world.root, token: String(login.at("token")) };
    const found = await world.call(who, "GET", "/api/account?accountState=-1");
    return found.list.map(({ name }) => name);
  };
  expect(await waiting("support")).toEqual(["Willow Interiors"]);
  expect(await waiting("operator")).toEqual([]);
});

test("a second start seeds nothing and returns the fleet's secrets again", async () => {
  const count = () =>
    world.ctx.db
      .selectFrom("sensor")
      .select((e) => e.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow();
  const before = await count();
  expect(await seedDemo(world.ctx)).toBe(file);
  expect(await count()).toEqual(before);
  const fleet = JSON.parse(await readFile(file ?? "", "utf8")) as { fwKey: string; sensors: unknown[] };
  expect(Buffer.from(fleet.fwKey, "base64")).toHaveLength(32);
  expect(fleet.sensors).toHaveLength(12);
});

test("without DEMO its database is not served to the network", async () => {
  const start = (HOST: string) =>
    startServer(
      readConfig({ DATABASE_URL: world.databaseUrl, DATA_DIR: folder, PORT: "0", MQTT_PORT: "0", HOST, DEMO: "off" }),
      pino({ level: "silent" }),
    );
  await expect(start("0.0.0.0")).rejects.toThrow(/demo data/);
  const kept = await start("127.0.0.1");
  await kept.stop();
});

test("OC-02 OC-04 one location has a display, and people can walk through its door", async () => {
  const { email, password } = personas.customer;
  const login = await world.call(null, "POST", "/api/auth/login", { body: { email, password } });
  const customer = { ...world.root, token: String(login.at("token")) };
  const { list } = await world.call(customer, "GET", "/api/v2/measurement?limit=100");
  const shown = list.filter(({ applications }) => (applications as { enabled?: boolean }[])[0]?.enabled === true);
  expect(shown).toHaveLength(1);
  const id = String(shown[0]?.["_id"]);
  expect(shown[0]).toMatchObject({ licenses: { occupancyMeasurement: true } });
  const ledger = await world.call(customer, "GET", `/api/measurement/${id}/occupancy/ledger`);
  expect(ledger.at("shown")).toMatchObject({ maxObjects: 30, state: "unknown" });
  const body = { applications: shown[0]?.["applications"] };
  expect((await world.call(customer, "PUT", `/api/measurement/${id}`, { body })).status).toBe(200);
  const walks: unknown[] = [];
  world.ctx.bus.on("demoWalk", (walk) => walks.push(walk));
  const walk = (sent: object) => world.call(null, "POST", "/dev/walk", { body: sent });
  expect((await walk({ sensor: "00-1e-c0-10-00-00", in: 2 })).status).toBe(200);
  expect(walks).toEqual([{ sensorId: "00:1E:C0:10:00:00", in: 2, out: 0 }]);
  for (const wrong of [
    {},
    { sensor: "x" },
    { sensor: "00:1E:C0:10:00:00", in: -1 },
    { sensor: "00:1E:C0:10:00:00", in: 1e9 },
  ])
    expect((await walk(wrong)).status).toBe(400);
  expect(walks).toHaveLength(1);
  const faults: unknown[] = [];
  world.ctx.bus.on("demoFault", (fault) => faults.push(fault));
  const fail = (fault: unknown) =>
    world.call(null, "POST", "/dev/fault", { body: { sensor: "00:1E:C0:10:00:00", fault } });
  expect((await fail("covered-lens@0+30")).status).toBe(200);
  expect((await fail(null)).status).toBe(200);
  expect(faults).toMatchObject([{ fault: "covered-lens@0+30" }, { fault: null }]);
  for (const wrong of ["covered-lens\nwalk x in 3", "a b", "", 3, undefined])
    expect((await fail(wrong)).status).toBe(400);
});
