// Tests reading, setting, trial and revert of sections through a real tunnel with a virtual clock.
import { expect, onTestFinished, test } from "vitest";
import { wireId } from "@psp/contract/kit/ids.ts";
import { stopSensor } from "../sensor/sensor.ts";
import { openCloud, type Cloud } from "../testing/cloud.ts";
import { id, openTestSensor, type TestSensor } from "../testing/test-sensor.ts";
import { hasTunnel, methodsOf, openReachableSensor } from "../testing/tunnel.ts";
import { waitUntil } from "../testing/virtual-clock.ts";

const fixed = { mode: "static", address: "192.168.1.20", prefix: 24, gateway: "192.168.1.1", dns: ["9.9.9.9"] };

/** Advances until the sensor disconnects to apply a change. */
async function leave({ clock, cloud }: TestSensor): Promise<void> {
  clock.pass(2000);
  await waitUntil("the tunnel is gone", () => !hasTunnel(cloud));
}
async function comeBack(made: TestSensor, ms = 5000): Promise<void> {
  const births = made.cloud.births.length;
  made.clock.pass(ms);
  await waitUntil("the next birth", () => made.cloud.births.length > births);
  await waitUntil("the tunnel", () => hasTunnel(made.cloud));
}

async function sharedCloud(): Promise<Cloud> {
  const cloud = await openCloud();
  onTestFinished(() => cloud.close());
  return cloud;
}

test("sections have the type's defaults and revision 1; the other type's are not known", async () => {
  const zod = methodsOf(await openReachableSensor({ type: "ZOD" }));
  expect(await zod.get("measurement")).toEqual({
    rev: 1,
    values: { intervalS: 300, reportAt: "both", minHeightCm: 80, smoothingS: 10, sleepAfterMin: 30 },
  });
  expect(await zod.get("gps")).toEqual({
    rev: 1,
    values: { enabled: true, source: "internal", udpPort: 10_110, intervalS: 10, minMoveM: 20 },
    info: { antenna: "ok" },
  });
  expect((await zod.get("group")).values).toMatchObject({
    coach: { carriageSequence: 1 },
    levels: [{ id: "l1", name: "Main" }],
    sections: [{ seats: 20, standing: 10 }, {}, {}],
  });
  const psc1 = methodsOf(await openReachableSensor({ type: "PS.C1" }));
  expect((await psc1.get("network")).values).toMatchObject({ mode: "dhcp", prefix: 24, dns: [], ntp: [] });
  expect((await psc1.get("applications")).values).toMatchObject({
    counting: { enabled: true, intervalS: 300, minHeightCm: 80, childBelowCm: 0 },
    lines: [{ id: "l1", name: "Door", inSide: "left" }],
    dwell: { enabled: false, minS: 3 },
  });
  for (const [of, foreign] of [
    [zod, "network"],
    [psc1, "gps"],
    [psc1, "constructor"],
    [psc1, "__proto__"],
  ] as const) {
    const { error } = await of.ask("config.get", { section: foreign });
    expect(error?.code).toBe(-32601);
    expect((await of.ask("config.set", { section: foreign, values: {}, rev: 1 })).error?.code).toBe(-32601);
  }
});

test("a fourth of the coaches has two decks", async () => {
  const { get } = methodsOf(await openReachableSensor({ type: "ZOD", id: "02:00:00:00:00:08" }));
  const { levels, sections } = (await get("group")).values as { levels: object[]; sections: object[] };
  expect([levels.length, sections.length]).toEqual([2, 4]);
});

test("only the revision that was read may be overwritten, and the first of two who set wins", async () => {
  const made = await openReachableSensor({ type: "ZOD" });
  const { ask, get } = methodsOf(made);
  const { values } = await get("measurement");
  const set = (rev: number, smoothingS: number) =>
    ask("config.set", { section: "measurement", values: { ...values, smoothingS }, rev });
  const both = await Promise.all([set(1, 20), set(1, 30)]);
  expect(new Set(both.map(({ error }) => error?.code ?? "taken"))).toEqual(new Set([-32002, "taken"]));
  expect((await get("measurement")).rev).toBe(2);
  for (const rev of [1, 3]) expect((await set(rev, 40)).error?.code).toBe(-32002);
  expect((await set(2, 40)).result).toEqual({ rev: 3, applied: "now" });
});

test("what was set survives a restart of the simulator, passwords included", async () => {
  const cloud = await sharedCloud();
  const before = await openReachableSensor({ type: "PS.C1", cloud });
  const { change } = methodsOf(before);
  await change("security", { editPassword: "harbour-lantern-9", localHttpsPort: 8443 });
  await change("camera", { mountHeightCm: 450 });
  await stopSensor(before.sensor);
  const saved = JSON.parse(JSON.stringify(before.kept())) as ReturnType<TestSensor["kept"]>;
  const after = await openReachableSensor({ type: "PS.C1", cloud, clock: before.clock, saved });
  const { get } = methodsOf(after);
  expect(await get("security")).toMatchObject({ rev: 2, values: { editPasswordSet: true, localHttpsPort: 8443 } });
  expect(await get("camera")).toMatchObject({ rev: 2, values: { mountHeightCm: 450 } });
  expect((await get("network")).rev).toBe(1);
});

test("R: what needs a restart is announced until the sensor has restarted, which takes ten seconds", async () => {
  const made = await openReachableSensor({ type: "ZOD" });
  const { ask, change, get } = methodsOf(made);
  const { cloud, clock } = made;
  expect(await change("camera", { mainsHz: 50 })).toEqual({ rev: 2, applied: "restart" });
  expect(await get("camera")).toMatchObject({ values: { mainsHz: 50 }, restartNeeded: true });
  expect(await change("camera", { blurPreviews: false })).toEqual({ rev: 3, applied: "now" });
  expect(await get("camera")).toMatchObject({ restartNeeded: true });
  // Equal to the running value, so no restart is pending.
  expect(await change("camera", { mainsHz: "auto" })).toEqual({ rev: 4, applied: "now" });
  expect(await get("camera")).not.toHaveProperty("restartNeeded");
  await change("camera", { mainsHz: 60 });

  const births = cloud.births.length;
  expect((await ask("device.restart")).result).toEqual({ backInS: 10 });
  clock.pass(1000);
  await waitUntil("gone", () => !hasTunnel(cloud) && cloud.deaths.length > 0);
  expect(cloud.deaths.at(-1)?.body).toMatchObject({ why: "reboot" });
  clock.pass(9999);
  expect([made.sensor.running, made.sensor.phase]).toEqual([false, "idle"]);
  clock.pass(1);
  await waitUntil("the birth after it", () => cloud.births.length > births);
  expect(cloud.births.at(-1)?.birth.reason).toBe("user");
  await waitUntil("the tunnel", () => hasTunnel(cloud));
  expect(await get("camera")).toMatchObject({ values: { mainsHz: 60 } });
  expect(await get("camera")).not.toHaveProperty("restartNeeded");
});

test("C: the sensor leaves after two seconds, is back after five, and keeps what is confirmed", async () => {
  const made = await openReachableSensor({ type: "PS.C1" });
  const { ask, change, get } = methodsOf(made);
  const start = made.clock.now();
  expect(await change("network", fixed)).toEqual({ rev: 2, applied: "confirm", confirmWithinS: 60 });
  const pending = { rev: 2, until: start + 62_000 };
  expect(await get("network")).toMatchObject({
    rev: 2,
    values: fixed,
    pending,
    info: { address: expect.stringMatching(/^10\./) as string },
  });
  // Only one trial at a time; it can't be confirmed before it is applied.
  for (const [method, params] of [
    ["config.set", { section: "camera", values: {}, rev: 1 }],
    ["config.confirm", { rev: 2 }],
    ["device.restart", {}],
  ] as const)
    expect((await ask(method, params)).error?.code, method).toBe(-32001);
  made.clock.pass(1999);
  expect(hasTunnel(made.cloud)).toBe(true);
  made.clock.pass(1);
  await waitUntil("the tunnel is gone", () => !hasTunnel(made.cloud));
  await waitUntil("and the connection", () => made.cloud.connected() === 0);
  const births = made.cloud.births.length;
  made.clock.pass(4999);
  expect(made.sensor.phase).toBe("idle");
  expect(made.cloud.births).toHaveLength(births);
  await comeBack(made, 1);
  expect(made.cloud.births.at(-1)?.birth.ip).toBe("192.168.1.20");
  expect(await get("network")).toMatchObject({ pending, info: { address: "192.168.1.20" } });
  expect((await ask("config.set", { section: "camera", values: {}, rev: 1 })).error?.code).toBe(-32001);
  expect((await ask("config.confirm", { rev: 1 })).error?.code).toBe(-32002);
  expect((await ask("config.confirm", { rev: 2 })).result).toEqual({ rev: 2 });
  expect((await ask("config.confirm", { rev: 2 })).result).toEqual({ rev: 2 });
  expect((await ask("config.confirm", { rev: 3 })).error?.code).toBe(-32002);
  await made.pass(120_000, 10_000);
  const after = await get("network");
  expect(after).toMatchObject({
    rev: 2,
    values: fixed,
    lastChange: { rev: 2, outcome: "confirmed", at: start + 7000 },
  });
  expect(after).not.toHaveProperty("pending");
  expect(await get("camera")).not.toHaveProperty("lastChange");
});

test("C: without a confirmation the sensor goes back by itself after a minute, under a new revision", async () => {
  const made = await openReachableSensor({ type: "PS.C1" });
  const { change, get } = methodsOf(made);
  const start = made.clock.now();
  await change("network", { hostname: "lobby" });
  await leave(made);
  await comeBack(made);
  made.clock.passTo(start + 61_999);
  expect(await get("network")).toMatchObject({ values: { hostname: "lobby" }, pending: { rev: 2 } });
  await comeBack(made, 1);
  expect(await get("network")).toMatchObject({
    rev: 3,
    values: { hostname: "psc1-000042" },
    lastChange: { rev: 2, outcome: "rolledBack", at: start + 62_000 },
  });
  expect(await change("network", { ntp: ["pool.ntp.org"] })).toEqual({ rev: 4, applied: "now" });
});

test("C: with an address that no one reaches it stays away until it goes back", async () => {
  const made = await openReachableSensor({ type: "PS.C1" });
  const { change, get } = methodsOf(made);
  const births = made.cloud.births.length;
  await change("network", { ...fixed, address: "192.168.1.251" });
  await leave(made);
  made.clock.pass(59_999);
  expect(made.sensor.phase).toBe("idle");
  expect(made.cloud.births).toHaveLength(births);
  await comeBack(made, 1);
  expect(made.cloud.births.at(-1)?.birth.ip).toMatch(/^10\./);
  expect((await get("network")).lastChange).toMatchObject({ outcome: "rolledBack" });
});

test("C: an unreachable broker setting is reverted, a reachable one survives a simulator restart", async () => {
  const cloud = await sharedCloud();
  const other = await sharedCloud();
  const made = await openReachableSensor({ type: "ZOD", cloud });
  const { ask, change, get } = methodsOf(made);
  const present = `127.0.0.1:${cloud.mqttPort}`;
  expect((await get("psp")).values["broker"]).toBe(present);
  expect(await change("psp", { bufferDays: 10 })).toMatchObject({ applied: "now" });

  await change("psp", { broker: "127.0.0.1:1" });
  await leave(made);
  const births = cloud.births.length;
  made.clock.pass(5000);
  await waitUntil("it tried", () => made.log.some((line) => line.includes("ECONNREFUSED")));
  expect(hasTunnel(cloud)).toBe(false);
  made.clock.pass(55_000);
  await waitUntil("back at the old broker", () => cloud.births.length > births && hasTunnel(cloud));
  expect(await get("psp")).toMatchObject({
    values: { broker: present, bufferDays: 10 },
    lastChange: { outcome: "rolledBack" },
  });

  other.passwords.set(wireId(id), made.sensor.password ?? "");
  const moved = `127.0.0.1:${other.mqttPort}`;
  const { rev } = await change("psp", { broker: moved });
  await leave(made);
  made.clock.pass(5000);
  await waitUntil("the birth at the new broker", () => other.births.length === 1 && hasTunnel(cloud));
  expect((await ask("config.confirm", { rev })).result).toEqual({ rev });
  expect((await get("psp")).values["broker"]).toBe(moved);
  await stopSensor(made.sensor);

  const again = await openTestSensor({ type: "ZOD", cloud, clock: made.clock, saved: made.kept() });
  again.start();
  await waitUntil("the birth at the new broker", () => other.births.length === 2 && hasTunnel(cloud));
  expect((await methodsOf(again).get("psp")).values["broker"]).toBe(moved);
});

test.each([
  ["before it was applied", 500, "192.168.1.20"],
  ["while it was tried", 10_000, "192.168.1.20"],
  ["while it was away", 10_000, "192.168.1.251"],
  ["for longer than it had to confirm", 90_000, "192.168.1.20"],
])("C: a simulator that was restarted %s goes back all the same", async (_, afterMs, address) => {
  const cloud = await sharedCloud();
  const before = await openReachableSensor({ type: "PS.C1", cloud });
  const start = before.clock.now();
  await methodsOf(before).change("network", { ...fixed, address });
  before.clock.pass(Math.min(afterMs, 10_000));
  await stopSensor(before.sensor);
  await waitUntil("gone", () => !hasTunnel(cloud));
  before.clock.passTo(start + afterMs);
  const after = await openTestSensor({
    type: "PS.C1",
    cloud,
    clock: before.clock,
    saved: structuredClone(before.kept()),
  });
  const { get } = methodsOf(after);
  after.start();
  // A trial that expired before the start is reverted immediately.
  expect(after.sensor.sections.trial === null).toBe(afterMs > 62_000);
  await after.passUntil("it went back", () => after.sensor.sections.trial === null, 63_000, 1000);
  await waitUntil("online", () => after.sensor.phase === "up" && hasTunnel(cloud));
  const { values, lastChange } = await get("network");
  expect(values["mode"]).toBe("dhcp");
  expect(lastChange).toMatchObject({ rev: 2, outcome: "rolledBack" });
  expect((lastChange?.at ?? 0) - start).toBeGreaterThanOrEqual(62_000);
  expect(after.kept()?.sections?.trial).toBeNull();
  expect(cloud.births.map(({ birth }) => birth.ip)).not.toContain("192.168.1.251");
});

test("C: a change that was confirmed is not tried again by the next run", async () => {
  const cloud = await sharedCloud();
  const before = await openReachableSensor({ type: "PS.C1", cloud });
  await methodsOf(before).change("network", fixed);
  await leave(before);
  await comeBack(before);
  await methodsOf(before).ask("config.confirm", { rev: 2 });
  await stopSensor(before.sensor);
  const after = await openReachableSensor({ type: "PS.C1", cloud, clock: before.clock, saved: before.kept() });
  await after.pass(120_000, 10_000);
  expect(await methodsOf(after).get("network")).toMatchObject({ rev: 2, values: fixed });
  expect(cloud.births.at(-1)?.birth.ip).toBe("192.168.1.20");
});

test("an interval that was set is counted by, and only another order of the cloud overrules it", async () => {
  const made = await openReachableSensor({ type: "ZOD" });
  const { cloud, clock } = made;
  const { change, get } = methodsOf(made);
  const order = (rev: number, countIntervalS: number) =>
    cloud.send(id, "desired", { rev, cfg: { countIntervalS, health: true, liveFlow: false }, fw: null });
  await order(1, 300);
  await waitUntil("ordered", () => made.sensor.rev === 1);
  await change("measurement", { intervalS: 60 });
  clock.passTo(Math.ceil(clock.now() / 60_000) * 60_000);
  const from = clock.now();
  await made.pass(180_000, 60_000);
  const lengths = () =>
    cloud
      .countsOf(id)
      .filter(({ s }) => s >= from)
      .map(({ s, e }) => (e ?? 0) - s);
  expect(lengths()).toEqual([60_000, 60_000, 60_000]);
  await order(2, 300);
  await waitUntil("repeated", () => made.sensor.rev === 2);
  expect((await get("measurement")).values["intervalS"]).toBe(60);
  await order(3, 900);
  await waitUntil("ordered again", () => made.sensor.rev === 3);
  expect(await get("measurement")).toMatchObject({ rev: 3, values: { intervalS: 900 } });
  expect(made.sensor.cfg.countIntervalS).toBe(900);
});

test.each([
  ["ZOD", "measurement", { smoothingS: 25 }],
  ["PS.C1", "applications", { counting: { enabled: true, intervalS: 300, minHeightCm: 90, childBelowCm: 0 } }],
] as const)("an order that changes nothing leaves the revision of %s's %s as it is", async (type, section, values) => {
  const made = await openReachableSensor({ type });
  const { change, get } = methodsOf(made);
  await change(section, values);
  const set = await get(section);
  // The first order may arrive after the first local change.
  await made.cloud.send(id, "desired", {
    rev: 1,
    cfg: { countIntervalS: 300, health: true, liveFlow: false },
    fw: null,
  });
  await waitUntil("ordered", () => made.sensor.rev === 1);
  expect(await get(section)).toEqual(set);
});

test("drawn lines are counted by name; renaming keeps the id and past counts", async () => {
  const made = await openReachableSensor({ type: "PS.C1" });
  const { cloud } = made;
  const { change } = methodsOf(made);
  await made.pass(600_000);
  const points = [
    { x: 0, y: 20 },
    { x: 100, y: 20.5 },
  ];
  await change("applications", {
    lines: [
      { id: "l1", name: "Main entrance", points, inSide: "left" },
      { id: "l7", name: "Garden", points, inSide: "right" },
    ],
  });
  await made.pass(1_200_000);
  const names = cloud
    .countsOf(id)
    .map((record) => (record.t === "count" ? record.lines.map((line) => `${line.id} ${line.name}`).join() : ""));
  expect(names[0]).toBe("l1 Door");
  expect(names.at(-1)).toBe("l1 Main entrance,l7 Garden");
  const reported = cloud.heard.findLast(({ kind }) => kind === "reported")?.body as { lines: object[] };
  expect(reported.lines).toMatchObject([
    { id: "l1", name: "Main entrance" },
    { id: "l7", name: "Garden" },
  ]);
  expect(cloud.refused).toEqual([]);
});

test.each([
  ["ZOD", "psp"],
  ["PS.C1", "security"],
] as const)(
  "%s: PS.Connect switched off closes the tunnel after the answer, and is reported",
  async (type, section) => {
    const cloud = await sharedCloud();
    const made = await openReachableSensor({ type, cloud });
    expect(await methodsOf(made).change(section, { psconnect: false })).toEqual({ rev: 2, applied: "now" });
    const reports = cloud.heard.length;
    made.clock.pass(1000);
    await waitUntil("the tunnel is gone", () => !hasTunnel(cloud));
    await waitUntil("the report", () => cloud.heard.slice(reports).some(({ kind }) => kind === "reported"));
    const last = cloud.heard.findLast(({ kind }) => kind === "reported");
    expect(last?.body).toMatchObject({ psconnect: { connectionStatus: "disconnected" } });
    await stopSensor(made.sensor);
    const after = await openTestSensor({ type, cloud, clock: made.clock, saved: made.kept() });
    await after.online();
    await after.pass(60_000, 10_000);
    expect([after.sensor.phase, hasTunnel(cloud)]).toEqual(["up", false]);
  },
);

test("a fleet without PS.Connect opens no tunnel", async () => {
  for (const setup of [
    { type: "ZOD", psconnect: false },
    { type: "APS", psconnect: false },
  ] as const) {
    const made = await openTestSensor(setup);
    await made.online();
    await made.pass(60_000, 10_000);
    expect(made.sensor.tunnel).toBeNull();
  }
});

test("positions are recorded only while they may be", async () => {
  const made = await openReachableSensor({ type: "ZOD" });
  const positions = () => [...made.cloud.stored.values()].filter(({ t }) => t === "position").length;
  await made.pass(900_000);
  const before = positions();
  expect(before).toBeGreaterThan(0);
  await methodsOf(made).change("gps", { enabled: false });
  await made.pass(900_000);
  expect(positions()).toBe(before);
});
