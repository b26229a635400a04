// Tests the live occupancy of a ZOD over a real broker, and compares it with its preview.
import { describe, expect, test } from "vitest";
import { type LiveReport, liveReportSchema } from "@psp/contract/device/live-level.ts";
import { positionAt } from "../counting/route.ts";
import { coveredLens } from "../faults/faults.ts";
import { id, type TestSensor } from "../testing/test-sensor.ts";
import { methodsOf, openReachableSensor } from "../testing/tunnel.ts";
import { waitUntil } from "../testing/virtual-clock.ts";
import { triggerPassages } from "./meter.ts";
import { goOffline, goOnline } from "./session.ts";

type Level = Extract<LiveReport, { t: "occ" }>;
type Place = { lat: number; lng: number };
type Seen = { sections: { id: string; persons: number | null }[] };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const levelsIn = ({ cloud }: TestSensor): Level[] =>
  cloud.heard.flatMap(({ kind, body }) => {
    if (kind !== "live") return [];
    const level = liveReportSchema.parse(body);
    return level.t === "occ" ? [level] : [];
  });

/** Advances in steps of a second with acknowledgements in between, because the cloud would otherwise count as away. */
async function go(made: TestSensor, ms: number): Promise<Level[]> {
  const before = levelsIn(made).length;
  const isAnswered = made.sensor.outbox.hostOnline && !made.cloud.faults.muteAcks;
  if (isAnswered) await made.pass(ms, 1000);
  else made.clock.pass(ms);
  // Messages arrive in order: once this one has arrived, so have all earlier ones.
  const asked = made.cloud.heard.length;
  made.sensor.link?.publish(`sdp/1/${made.cloud.connects[0]?.clientId}/up/log`, JSON.stringify({ text: "barrier" }));
  await waitUntil("the barrier", () => made.cloud.heard.slice(asked).some(({ kind }) => kind === "log"));
  return levelsIn(made).slice(before);
}

/** Messages sent only because of a new position, each with the last earlier message that had a position. */
function saidForPlace(said: Level[]): { level: Level; before: Level }[] {
  return said.flatMap((level, index) => {
    const previous = said[index - 1];
    const before = said.slice(0, index).findLast(({ pos }) => pos !== undefined);
    if (!previous || !before) return [];
    const hasOther =
      JSON.stringify(level.zones) !== JSON.stringify(previous.zones) || level.at - previous.at >= minuteMs;
    return hasOther ? [] : [{ level, before }];
  });
}

/** Great-circle distance; the simulator itself uses a planar approximation. */
function metersApart(one: Place, other: Place): number {
  const [a, b] = [one.lat, other.lat].map((degrees) => (degrees * Math.PI) / 180) as [number, number];
  const [dLat, dLng] = [b - a, ((other.lng - one.lng) * Math.PI) / 180];
  const half = Math.sin(dLat / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(dLng / 2) ** 2;
  return 2 * 6_371_000 * Math.asin(Math.sqrt(half));
}

async function toCovered({ clock, sensor, pass }: TestSensor, isCovered: boolean): Promise<void> {
  const from = (sensor.profile.seed % 12) * 5 * minuteMs;
  const next = Math.ceil(clock.now() / hourMs) * hourMs + from;
  await pass(next + (isCovered ? minuteMs : 6 * minuteMs) - clock.now(), minuteMs);
}

/** A coach in which nothing changes: it sends a first message, then one per minute. */
async function unchanging(): Promise<TestSensor> {
  const made = await openReachableSensor({ type: "ZOD", faults: [coveredLens({ from: 0, to: Infinity })] });
  await methodsOf(made).change("gps", { enabled: false });
  expect(await go(made, 2000)).toHaveLength(1);
  return made;
}

describe("live levels of a ZOD", () => {
  test("are the people of each section, said on change, at most once a second and at least once a minute", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    const { change, preview } = methodsOf(made);
    await change("gps", { enabled: false });
    await toCovered(made, false);
    const said = await go(made, 10 * minuteMs);
    const times = [...said.map(({ at }) => at), made.clock.now()];
    for (const [index, at] of times.slice(1).entries()) {
      expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(index === times.length - 2 ? 0 : 1000);
      expect(at - (times[index] ?? 0)).toBeLessThanOrEqual(minuteMs);
    }
    // Without a change, only one message per minute.
    for (const [index, { at, zones }] of said.slice(1).entries())
      if (JSON.stringify(zones) === JSON.stringify(said[index]?.zones))
        expect(at - (said[index]?.at ?? 0)).toBe(minuteMs);
    triggerPassages(made.sensor, { in: 9, out: 0 });
    const [after] = await go(made, 1000);
    expect(after).toMatchObject({ t: "occ", at: made.clock.now() });
    const { sections } = await preview<Seen>("occupancy");
    expect(after?.zones).toEqual(sections.map(({ id, persons }) => ({ id, n: persons })));
    expect(after?.pos).toBeUndefined();
  });

  test("zones of a covered camera are left out, and a completely unseen coach sends nothing", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    await toCovered(made, true);
    const covered = (await go(made, minuteMs)).at(-1);
    expect(covered?.zones).toHaveLength(2);
    await toCovered(made, false);
    expect((await go(made, minuteMs)).at(-1)?.zones.map(({ id }) => id)).toEqual(["s1", "s2", "s3"]);
    const blind = await openReachableSensor({ type: "ZOD", faults: [coveredLens({ from: 0, to: Infinity })] });
    expect((await go(blind, minuteMs)).at(-1)?.zones).toEqual([]);
  });

  test("bring the position as often as it is to be recorded, and none where there is no fix", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    const { change } = methodsOf(made);
    await change("gps", { intervalS: 5, minMoveM: 0 });
    const { seed } = made.sensor.profile;
    const lap = await go(made, 30 * minuteMs);
    const placed = lap.filter(({ pos }) => pos !== undefined);
    // One message per second, except in the tunnel.
    expect(placed.length).toBeGreaterThan(300);
    for (const { at, pos } of placed) {
      const is = positionAt(seed, at);
      expect(is.isInTunnel).toBe(false);
      expect(pos?.lat).toBeCloseTo(is.lat, 5);
      expect(pos?.lng).toBeCloseTo(is.lng, 5);
      expect(pos?.speed).toBeCloseTo(is.speedMps, 0);
      expect(Math.abs((pos?.heading ?? 0) - is.headingDeg) % 359).toBeLessThanOrEqual(1);
    }
    expect(lap.some(({ at, pos }) => positionAt(seed, at).isInTunnel && pos === undefined)).toBe(true);
    const forPlace = saidForPlace(lap);
    expect(forPlace.length).toBeGreaterThan(100);
    for (const { level, before } of forPlace) expect(level.at - before.at).toBeGreaterThanOrEqual(5000);
    await change("gps", { enabled: false });
    for (const { pos } of await go(made, 5 * minuteMs)) expect(pos).toBeUndefined();
  });

  test("bring the position only when the vehicle moved as far as is asked for, and then at once", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    const minMoveM = 300;
    await methodsOf(made).change("gps", { intervalS: 1, minMoveM });
    const { seed } = made.sensor.profile;
    const lap = await go(made, 30 * minuteMs);
    // Tolerates rounding and the different distance calculation.
    const toleranceM = 2;
    const forPlace = saidForPlace(lap);
    expect(forPlace.length).toBeGreaterThan(10);
    for (const { level, before } of forPlace)
      expect(metersApart(before.pos as Place, level.pos as Place)).toBeGreaterThan(minMoveM - toleranceM);
    let last = lap.find(({ pos }) => pos !== undefined) as Level;
    for (let at = last.at; at <= made.clock.now(); at += 1000) {
      last = lap.find((level) => level.at === at && level.pos !== undefined) ?? last;
      const is = positionAt(seed, at);
      if (!is.isInTunnel) expect(metersApart(last.pos as Place, is)).toBeLessThan(minMoveM + toleranceM);
    }
  });

  test("wait while the platform is away, and begin again when it is back", async () => {
    const made = await unchanging();
    const { cloud, sensor } = made;
    const hostState = async (online: boolean) => {
      await cloud.hostState(online);
      await waitUntil("it knows", () => sensor.outbox.hostOnline === online);
    };
    for (const awayMs of [2000, 2 * minuteMs]) {
      await hostState(false);
      expect(await go(made, awayMs)).toEqual([]);
      await hostState(true);
      expect(await go(made, 1000)).toHaveLength(1);
    }
    // A crashed server sends nothing and acknowledges nothing.
    cloud.faults.muteAcks = true;
    await go(made, 5 * minuteMs);
    expect(sensor.outbox.flights).not.toEqual([]);
    expect(await go(made, minuteMs)).toHaveLength(1);
    await go(made, 5 * minuteMs);
    expect(await go(made, 2 * minuteMs)).toEqual([]);
    cloud.faults.muteAcks = false;
    await cloud.acknowledge(id);
    await made.idle();
    expect(await go(made, 1000)).toHaveLength(1);
  });

  test("begin again with a new connection, and are said by no other type", async () => {
    const made = await unchanging();
    goOffline(made.sensor);
    made.clock.pass(3000);
    const before = levelsIn(made).length;
    goOnline(made.sensor);
    await waitUntil("it is back", () => made.sensor.phase === "up");
    expect(await go(made, 1000)).toHaveLength(1);
    expect(levelsIn(made)).toHaveLength(before + 1);
    const ceiling = await openReachableSensor({ type: "PS.C1" });
    expect(await go(ceiling, 2 * minuteMs)).toEqual([]);
  });
});
