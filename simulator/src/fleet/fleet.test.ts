// Tests fleets: many sensors, their history, and the assignment of faults.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { DeviceRecord } from "@psp/contract/device/device-messages.ts";
import { assignFaults, parseFaults, scripts, buildFaults } from "../faults/scripts.ts";
import { uptimeIn, viewIn } from "../faults/world.ts";
import {
  createFleet,
  generateMembers,
  type Fleet,
  type FleetSetup,
  noStore,
  createFileStore,
  createEnvironment,
} from "./fleet.ts";
import { openCloud, type Cloud } from "../testing/cloud.ts";
import { createVirtualClock, type VirtualClock } from "../testing/virtual-clock.ts";
import { noTruth, openTruthFile, type Truth, type TruthRow } from "../counting/truth.ts";
import { sumOf, computeTruth } from "../testing/truth.ts";

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.UTC(2025, 2, 12, 9);
const zone = "Europe/Berlin";
const types = [
  { type: "APS" as const, weight: 7 },
  { type: "PS.C1" as const, weight: 2 },
  { type: "ZOD" as const, weight: 1 },
];

async function openFleet(
  count: number,
  change: Partial<FleetSetup> = {},
  clock = createVirtualClock(start),
  truth: Truth = noTruth(),
  cloud?: Cloud,
) {
  const made = cloud ?? (await openCloud());
  const setup: FleetSetup = {
    members: generateMembers(count, "fleet", types),
    seed: "fleet",
    zone,
    faults: [],
    url: made.url,
    token: made.token,
    broker: null,
    fwKey: null,
    rest: null,
    psconnect: true,
    historyMs: 0,
    intervalS: 300,
    rate: 40,
    store: noStore(),
    ...change,
  };
  const fleet = createFleet(
    setup,
    createEnvironment({ clock, net: clock, truth, store: setup.store, log: () => undefined }),
  );
  onTestFinished(async () => {
    await fleet.stop();
    if (!cloud) await made.close();
  });
  return { fleet, cloud: made, clock };
}

async function run(fleet: Fleet, clock: VirtualClock, holds: () => boolean, stepMs = 250): Promise<void> {
  const end = clock.now() + 6 * hour;
  while (!holds()) {
    if (clock.now() > end) throw new Error(`not within six hours: ${JSON.stringify(fleet.numbers())}`);
    clock.pass(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function total(records: Iterable<DeviceRecord>): { in: number; out: number } {
  const lines = [...records].flatMap((record) => (record.t === "count" ? record.lines : []));
  return { in: lines.reduce((sum, line) => sum + line.in, 0), out: lines.reduce((sum, line) => sum + line.out, 0) };
}

test("DE-02 a mixed fleet enrols at its rate, and all of it counts", async () => {
  const { fleet, cloud, clock } = await openFleet(60);
  fleet.start(() => true);
  await run(fleet, clock, () => fleet.numbers().online === 60);
  expect(clock.now() - start).toBeGreaterThanOrEqual((59 / 40) * 1000 - 1000);
  clock.passTo(start + 300_000);
  await run(fleet, clock, () => fleet.numbers().waiting === 0 && cloud.stored.size >= 60);
  const kinds = new Set([...cloud.stored.values()].map(({ t }) => t));
  expect([...kinds].toSorted()).toEqual(["count", "dwell", "occ", "position"]);
  expect(new Set(cloud.births.map(({ birth }) => birth.type))).toEqual(new Set(["APS", "PS.C1", "ZOD"]));
});

test("history equals the ground truth and joins live counting without gap or overlap", async () => {
  const directory = mkdtempSync(join(tmpdir(), "truth-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const truth = openTruthFile(join(directory, "truth.jsonl"));
  const { fleet, cloud, clock } = await openFleet(
    3,
    { historyMs: 3 * day },
    createVirtualClock(start + 7 * 60_000),
    truth,
  );
  fleet.start(() => true);
  await run(fleet, clock, () => fleet.numbers().online === 3 && fleet.numbers().waiting === 0);
  clock.pass(hour);
  await run(fleet, clock, () => fleet.numbers().waiting === 0);
  await fleet.stop();
  await truth.close();
  await run(fleet, clock, () => cloud.deaths.length === 3);
  const rows = readFileSync(join(directory, "truth.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line): TruthRow => JSON.parse(line));
  for (const sensor of fleet.sensors) {
    const records = [...cloud.stored].filter(([key]) => key.startsWith(sensor.id)).map(([, record]) => record);
    const counts = records.filter(({ t }) => t === "count").toSorted((a, b) => a.s - b.s);
    expect(counts[0]?.s).toBe(start - 3 * day + hour);
    for (const [index, { s }] of counts.entries()) if (index) expect(s).toBe(counts[index - 1]?.e);
    const stored = rows.filter((row) => row.sensor === sensor.id && row.e <= (counts.at(-1)?.e ?? 0));
    expect(total(counts)).toEqual({ in: sumOf(stored).in, out: sumOf(stored).out });
    const computed = computeTruth(sensor.id, sensor.profile, sensor.world, start - 2 * day, start - day);
    const sameDay = counts.filter(({ s }) => s >= start - 2 * day && s < start - day);
    expect(total(sameDay)).toEqual({ in: sumOf(computed).in, out: sumOf(computed).out });
    expect(records.filter(({ t }) => t === "health").length).toBeGreaterThanOrEqual(71 * 4);
  }
  expect(cloud.refused).toEqual([]);
});

test("a fleet that was stopped goes on with its credentials and fills the gap", async () => {
  const directory = mkdtempSync(join(tmpdir(), "state-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const store = createFileStore(directory);
  const first = await openFleet(3, { store, historyMs: 2 * hour });
  first.fleet.start(() => true);
  await run(first.fleet, first.clock, () => first.fleet.numbers().online === 3 && first.fleet.numbers().waiting === 0);
  await first.fleet.stop();

  const later = createVirtualClock(start + 8 * hour + 90_000);
  const second = await openFleet(3, { store, historyMs: day, token: null }, later, noTruth(), first.cloud);
  second.fleet.start(() => true);
  await run(second.fleet, later, () => second.fleet.numbers().online === 3 && second.fleet.numbers().waiting === 0);
  expect(first.cloud.enrollments).toBe(3);
  for (const sensor of second.fleet.sensors) {
    const counts = first.cloud.countsOf(sensor.id).toSorted((a, b) => a.s - b.s);
    for (const [index, { s }] of counts.entries()) if (index) expect(s).toBe(counts[index - 1]?.e);
    expect(counts.at(-1)?.e).toBe(start + 8 * hour);
  }
  expect(first.cloud.refused).toEqual([]);
});

test("after a crash, waiting records and the gap are renumbered without duplicates", async () => {
  const directory = mkdtempSync(join(tmpdir(), "state-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const store = createFileStore(directory);
  const first = await openFleet(1, { store, historyMs: 2 * hour });
  first.fleet.start(() => true);
  await run(first.fleet, first.clock, () => first.fleet.numbers().online === 1 && first.fleet.numbers().waiting === 0);
  first.cloud.faults.muteAcks = true;
  // Persists half an hour of unacknowledged records, then crashes.
  for (let minute = 0; minute < 31; minute++) first.clock.pass(60_000);
  const [sensor] = first.fleet.sensors;
  sensor?.link?.cut();
  first.cloud.faults.muteAcks = false;

  const later = createVirtualClock(start + 3 * hour);
  const second = await openFleet(1, { store, historyMs: day }, later, noTruth(), first.cloud);
  second.fleet.start(() => true);
  await run(second.fleet, later, () => second.fleet.numbers().online === 1 && second.fleet.numbers().waiting === 0);
  expect(new Set(first.cloud.births.map(({ birth }) => birth.ep)).size).toBe(2);
  expect(first.cloud.refused).toEqual([]);
  const starts = new Set(first.cloud.countsOf(sensor?.id ?? "").map(({ s }) => s));
  expect([...starts].filter((s) => s >= start - hour && s < start + 3 * hour)).toHaveLength(48);
});

describe("faults", () => {
  test("are read from text, with sensors, start and length", () => {
    expect(parseFaults("covered-lens:3@10+30, outage@-60")).toEqual([
      { script: "covered-lens", sensors: 3, startMin: 10, lengthMin: 30 },
      { script: "outage", sensors: null, startMin: -60, lengthMin: null },
    ]);
    expect(() => parseFaults("earthquake")).toThrow(/Unknown fault "earthquake". Known faults: zero-day, /);
    expect(() => parseFaults("outage@noon")).toThrow(/name\[:sensors\]/);
  });

  test("are dealt to different sensors, two of a hundred each when not said otherwise", () => {
    const dealt = assignFaults(parseFaults("covered-lens:3,outage,lost-ack:1"), 200);
    expect([...dealt.values()].map((plans) => plans.map(({ script }) => script).join())).toEqual([
      ...Array.from({ length: 3 }, () => "covered-lens"),
      ...Array.from({ length: 4 }, () => "outage"),
      "lost-ack",
    ]);
  });

  test.each(Object.keys(scripts))("%s changes something and always moves on in time", (name) => {
    const world = buildFaults(parseFaults(name), zone, start);
    expect(world.plain).toBe(false);
    let at = start - 2 * day;
    for (let step = 0; step < 2000 && at < start + 2 * day; step++) {
      const next = world.nextEdge(at);
      expect(next).toBeGreaterThan(at);
      at = Math.min(next, start + 4 * day);
    }
    expect(at).toBeGreaterThanOrEqual(start + 2 * day);
  });

  test("in the past show in counts, view and health as they do live", () => {
    const dark = buildFaults(parseFaults("dark-night"), zone, start);
    const midnight = start - 10 * hour;
    expect(viewIn(dark, midnight, midnight + day).seconds).toEqual({ "0": 17 * 3600, "3": 7 * 3600 });
    const storm = buildFaults(parseFaults("reboot-storm"), zone, start);
    expect(storm.restarts(start - hour, start)).toHaveLength(6);
    expect(uptimeIn(storm, start - hour, start)).toBe(hour - 6 * 40_000);
    const zero = buildFaults(parseFaults("zero-day"), zone, start);
    expect([midnight - 1, midnight - day - 1].map((at) => zero.sees(at, "in"))).toEqual([0, 1]);
  });

  test("the three days around the last change of the clocks are sent as back-fill", async () => {
    const { fleet, cloud, clock } = await openFleet(1, { faults: parseFaults("dst-night") });
    fleet.start(() => true);
    await run(fleet, clock, () => fleet.numbers().online === 1 && fleet.numbers().waiting === 0);
    const starts = cloud.countsOf(fleet.sensors[0]?.id ?? "").map(({ s }) => s);
    const change = Date.UTC(2024, 9, 27, 1);
    expect(Math.min(...starts)).toBeLessThan(change - 24 * hour);
    expect(Math.max(...starts)).toBeGreaterThan(change + 24 * hour);
    expect(starts).toHaveLength((72 * hour) / 300_000);
  });
});
