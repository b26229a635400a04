// Tests one virtual sensor with a real broker: enrollment, presence, counts, acknowledgements, network and power faults.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CountRecord, DeviceRecord } from "@psp/contract/device/device-messages.ts";
import {
  coveredLens,
  duplicateBatches,
  frozenClock,
  lostClock,
  outage,
  rebootStorm,
  powerFailure,
  watchdogLoop,
} from "../faults/faults.ts";
import { countPending } from "../records/buffer.ts";
import { enrol } from "../link/enrol.ts";
import { stopSensor } from "./sensor.ts";
import { goOffline, goOnline } from "./session.ts";
import { id, morning, openTestSensor } from "../testing/test-sensor.ts";
import { waitUntil } from "../testing/virtual-clock.ts";
import { sumOf } from "../testing/truth.ts";

const minute = 60_000;
const hour = 60 * minute;

function isCount(record: DeviceRecord): record is CountRecord {
  return record.t === "count";
}
function countsIn(records: Iterable<DeviceRecord>): { in: number; out: number } {
  const sum = { in: 0, out: 0 };
  for (const { lines } of [...records].filter(isCount)) {
    for (const line of lines) {
      sum.in += line.in;
      sum.out += line.out;
    }
  }
  return sum;
}
function seen(truth: Parameters<typeof sumOf>[0]): { in: number; out: number } {
  const { seenIn, seenOut } = sumOf(truth);
  return { in: seenIn, out: seenOut };
}

describe("first contact", () => {
  test("DE-02 enrols with the token, is born, and sends every person who passed", async () => {
    const { cloud, sensor, truth, online, pass } = await openTestSensor();
    await online();
    expect(cloud.connects[0]).toMatchObject({
      clientId: "020000000042",
      clean: false,
      keepalive: 60,
      willDelayS: 30,
      properties: { sessionExpiryInterval: 604_800, receiveMaximum: 20 },
    });
    expect(cloud.births[0]?.birth).toMatchObject({
      online: true,
      type: "APS",
      fw: "1.18.0",
      seq: { first: 1, next: 1 },
      clock: { synced: true },
    });
    expect(cloud.heard.find(({ kind }) => kind === "reported")).toMatchObject({
      retain: true,
      body: { info: { software: { firmware: { version: "1.18.0" } } } },
    });
    await pass(24 * hour);
    expect(countsIn(cloud.stored.values())).toEqual(seen(truth.rows));
    expect(sumOf(truth.rows).in).toBeGreaterThan(50);
    expect(sumOf(truth.rows).in).toBe(sumOf(truth.rows).seenIn);
    expect(countPending(sensor.outbox.buffer)).toBe(0);
    expect(sensor.outbox.buffer.held.size).toBe(0);
    expect([...cloud.stored.values()].filter(isCount)).toHaveLength(288);
    expect([...cloud.stored.values()].filter(({ t }) => t === "health")).toHaveLength(96);
    expect(cloud.refused).toEqual([]);
  });

  test("waits and tries again while the server is busy, after the time that the server named", async () => {
    const { cloud, start, clock, passUntil } = await openTestSensor();
    Object.assign(cloud.faults, { enrolStatus: 503, retryAfterS: 20 });
    start();
    await waitUntil("the first try", () => cloud.enrollments === 1);
    cloud.faults.enrolStatus = null;
    await passUntil("the birth", () => cloud.births.length === 1, hour, 1000);
    expect(clock.now() - morning).toBeGreaterThanOrEqual(20_000);
  });

  test("a network that blinks during the enrollment asks no second time", async () => {
    const { cloud, sensor, start, passUntil } = await openTestSensor();
    start();
    goOffline(sensor);
    goOnline(sensor);
    await passUntil("the birth", () => cloud.births.length === 1, hour, 1000);
    expect(cloud.enrollments).toBe(1);
  });

  test("an answer that breaks off is none, and asked for again", async () => {
    const broken = createServer((_request, response) => {
      response.writeHead(201, { "content-length": 400 });
      response.write("{", () => response.destroy());
    });
    await new Promise<void>((go) => broken.listen(0, "127.0.0.1", go));
    onTestFinished(() => void broken.close());
    const { port } = broken.address() as AddressInfo;
    const asked = { token: "t", id, type: "APS", hw: "rev C", fw: "1.0.0", csr: "key", time: 1 } as const;
    await expect(enrol({ url: `http://127.0.0.1:${port}`, ...asked })).rejects.toMatchObject({
      status: 0,
      retryable: true,
    });
  });

  test("a wrong token is reported and ends the trying when that is requested", async () => {
    const { cloud, sensor, start } = await openTestSensor({ token: "wrong" });
    const errors: string[] = [];
    sensor.onRefused = (error) => errors.push(error.message) > 0;
    start();
    await waitUntil("the refusal", () => errors.length === 1);
    expect(errors[0]).toMatch(/init token is unknown or revoked/);
    expect(cloud.births).toEqual([]);
  });
});

describe("acknowledgement", () => {
  test("a lost acknowledgement leads to the same numbers again after 30 seconds, then after 60", async () => {
    const { cloud, sensor, clock, online, idle } = await openTestSensor();
    await online();
    cloud.faults.muteAcks = true;
    clock.passTo(morning + 5 * minute);
    await waitUntil("the batch", () => cloud.batches.length === 1);
    clock.pass(29_000);
    expect(sensor.outbox.resentBatches).toBe(0);
    clock.pass(1000);
    await waitUntil("the batch again", () => cloud.batches.length === 2);
    clock.pass(59_000);
    expect(sensor.outbox.resentBatches).toBe(1);
    cloud.faults.muteAcks = false;
    clock.pass(1000);
    await idle();
    expect(cloud.batches.map(({ numbers }) => numbers)).toEqual([[1], [1], [1]]);
    expect(cloud.refused).toEqual([]);
    expect(countPending(sensor.outbox.buffer)).toBe(0);
  });

  test("a batch that the server lost goes again when a later one is acknowledged around it", async () => {
    const { cloud, clock, sensor, online, idle } = await openTestSensor();
    await online();
    cloud.faults.dropBatches = 1;
    clock.passTo(morning + 5 * minute);
    await waitUntil("the lost batch", () => cloud.batches.length === 1);
    clock.pass(5000);
    // Closes the running interval, so the next record is sent immediately.
    await cloud.send(id, "desired", { rev: 1, cfg: { countIntervalS: 60 } });
    await waitUntil("the next batch and the lost one again", () => cloud.batches.length === 3);
    await idle();
    expect(sensor.outbox.resentBatches).toBe(1);
    expect(cloud.batches.map(({ numbers }) => numbers)).toEqual([[1], [2], [1]]);
    expect(cloud.refused).toEqual([]);
  });

  test("a doubled batch is the same batch", async () => {
    const { cloud, truth, online, pass } = await openTestSensor({
      faults: [duplicateBatches({ from: 0, to: Infinity })],
    });
    await online();
    await pass(hour);
    await waitUntil("both copies", () => cloud.batches.length >= 2 * cloud.stored.size);
    expect(cloud.refused).toEqual([]);
    expect(countsIn(cloud.stored.values())).toEqual(seen(truth.rows));
  });

  test("drops the oldest records of a full buffer and reports which", async () => {
    const { cloud, clock, sensor, passUntil, online } = await openTestSensor({
      bufferLimit: 50,
      faults: [outage({ from: morning + minute, to: morning + 10 * hour })],
    });
    await online();
    clock.passTo(morning + 10 * hour);
    await passUntil(
      "everything is stored",
      () => sensor.phase === "up" && cloud.stored.size > 0 && countPending(sensor.outbox.buffer) === 0,
    );
    const overflows = [...cloud.stored.values()].flatMap((record) =>
      record.t === "event" && record.kind === "buffer-overflow" ? [record.detail] : [],
    );
    const { first } = cloud.births.at(-1)?.birth.seq ?? { first: 0 };
    expect(overflows.at(-1)?.["toQ"]).toBeGreaterThanOrEqual(first - 2);
    const numbers = [...cloud.stored.values()].map(({ q }) => q);
    expect(Math.min(...numbers)).toBeGreaterThan(1);
    expect(numbers.length).toBeLessThanOrEqual(52);
  });
});

describe("presence", () => {
  test("a cut connection leaves the will, and the next birth has another session", async () => {
    const { cloud, sensor, online, passUntil } = await openTestSensor();
    await online();
    const { sid } = cloud.births[0]?.birth ?? {};
    cloud.dropAll();
    await waitUntil("the will", () => cloud.deaths.length === 1);
    expect(cloud.deaths[0]?.body).toMatchObject({ online: false, sid });
    await passUntil("the next birth", () => cloud.births.length === 2);
    expect(cloud.births[1]?.birth.sid).not.toBe(sid);
    expect(cloud.births[1]?.birth.n).toBeGreaterThan(cloud.births[0]?.birth.n ?? 0);
    expect(sensor.phase).toBe("up");
  });

  test("a stop says good-bye itself and keeps what is not yet stored for the next run", async () => {
    const first = await openTestSensor();
    await first.online();
    first.cloud.faults.muteAcks = true;
    first.clock.passTo(morning + 7 * minute);
    await waitUntil("the first count", () => first.cloud.stored.size === 1);
    await stopSensor(first.sensor);
    expect(first.cloud.deaths.at(-1)?.body).toMatchObject({ online: false, why: "shutdown" });
    first.cloud.faults.muteAcks = false;

    const second = await openTestSensor({ cloud: first.cloud, at: morning + 8 * minute, saved: first.kept() });
    second.start();
    await waitUntil("the second birth", () => first.cloud.births.length === 2);
    await second.passUntil("all stored", () => countPending(second.sensor.outbox.buffer) === 0);
    expect(first.cloud.enrollments).toBe(1);
    expect(first.cloud.births[1]?.birth).toMatchObject({
      ep: first.cloud.births[0]?.birth.ep,
      seq: { first: 1, next: 3 },
    });
    expect(countsIn(first.cloud.stored.values())).toEqual(seen(first.truth.rows));
    expect(first.cloud.refused).toEqual([]);
  });

  test("while the gateway is away it keeps counting and sends only a probe a minute", async () => {
    const { cloud, clock, sensor, truth, online, idle } = await openTestSensor();
    await online();
    await cloud.hostState(false);
    await waitUntil("it knows", () => !sensor.outbox.hostOnline);
    cloud.faults.muteAcks = true;
    clock.pass(30 * minute);
    await waitUntil("a probe", () => cloud.batches.length > 0);
    expect(cloud.batches.every(({ numbers }) => numbers.length === 1)).toBe(true);
    expect(cloud.batches.length).toBeLessThanOrEqual(31);
    cloud.faults.muteAcks = false;
    await cloud.hostState(true);
    await waitUntil("a new birth", () => cloud.births.length === 2);
    clock.pass(1000);
    await idle();
    expect(countsIn(cloud.stored.values())).toEqual(seen(truth.rows));
  });
});

describe("faults", () => {
  test("after three days without network it fills in, newest day first, at most two batches a second", async () => {
    const away = { from: morning + hour, to: morning + 73 * hour };
    const { cloud, clock, sensor, truth, online, pass, passUntil } = await openTestSensor({ faults: [outage(away)] });
    await online();
    await pass(hour);
    const before = cloud.batches.length;
    clock.passTo(away.to);
    expect(sensor.phase).not.toBe("up");
    const resumedAt = clock.now();
    await passUntil("all filled in", () => sensor.phase === "up" && countPending(sensor.outbox.buffer) === 0);
    const fills = cloud.batches.slice(before).filter(({ topic }) => topic === "fill");
    expect(fills.length).toBeGreaterThanOrEqual(5);
    expect((clock.now() - resumedAt) / 500).toBeGreaterThanOrEqual(fills.length - 1);
    const days = fills.map(({ numbers }) =>
      Math.floor((cloud.stored.get(`${id}/${sensor.outbox.buffer.ep}/${numbers[0]}`)?.s ?? 0) / 86_400_000),
    );
    expect(days).toEqual(days.toSorted((a, b) => b - a));
    expect(fills.every(({ numbers }) => numbers.length <= 200)).toBe(true);
    expect(countsIn(cloud.stored.values())).toEqual(seen(truth.rows));
  });

  test("people who pass while the power is off are in the truth, but no one counted them", async () => {
    const { cloud, truth, online, pass, passUntil, clock } = await openTestSensor({
      faults: [powerFailure({ from: morning + hour, to: morning + 3 * hour })],
    });
    await online();
    await pass(4 * hour);
    await passUntil("online again", () => cloud.births.length === 2, hour);
    await pass(morning + 6 * hour - clock.now());
    const { in: passed, seenIn } = sumOf(truth.rows);
    expect(countsIn(cloud.stored.values())).toEqual(seen(truth.rows));
    expect(passed - seenIn).toBeGreaterThan(20);
    const starts = [...cloud.stored.values()].filter(isCount).map(({ s }) => s);
    expect(starts.filter((s) => s >= morning + hour && s < morning + 3 * hour)).toEqual([]);
  });

  test("a covered lens is reported after a minute, and its intervals say so", async () => {
    const { cloud, online, pass } = await openTestSensor({
      faults: [coveredLens({ from: morning + 10 * minute, to: morning + 40 * minute })],
    });
    await online();
    await pass(hour, minute);
    const events = [...cloud.stored.values()].flatMap((record) =>
      record.t === "event" && record.kind === "osd" ? [[record.s, record.from, record.to]] : [],
    );
    expect(events).toEqual([
      [morning + 10 * minute, 0, 1],
      [morning + 40 * minute, 1, 0],
    ]);
    const blind = [...cloud.stored.values()].filter(isCount).filter(({ osd }) => osd === 1);
    expect(blind).toHaveLength(6);
    expect(countsIn(blind)).toEqual({ in: 0, out: 0 });
    const slices = [...cloud.stored.values()].flatMap((record) =>
      record.t === "health" ? [record.osd?.["1"] ?? 0] : [],
    );
    expect(slices.reduce((sum, seconds) => sum + seconds, 0)).toBe(1800);
  });

  test("restarts are born with their reason and stand in the health slices", async () => {
    const storm = await openTestSensor({
      faults: [rebootStorm({ from: morning + 5 * minute, to: morning + 31 * minute })],
    });
    await storm.online();
    await storm.passUntil("an hour", () => storm.clock.now() >= morning + hour + minute, 2 * hour, 5000);
    await storm.passUntil(
      "all stored",
      () => storm.sensor.phase === "up" && countPending(storm.sensor.outbox.buffer) === 0,
    );
    const slices = [...storm.cloud.stored.values()].flatMap((record) => (record.t === "health" ? [record] : []));
    expect(slices.reduce((sum, { reboots }) => sum + (reboots.power ?? 0), 0)).toBe(3);
    expect(slices.reduce((sum, { upS }) => sum + upS, 0)).toBe(3600 - 3 * 40);
    expect(storm.cloud.births.at(-1)?.birth.reason).toBe("power");
    expect(countsIn(storm.cloud.stored.values())).toEqual(seen(storm.truth.rows));

    const dog = await openTestSensor({
      faults: [watchdogLoop({ from: morning + 5 * minute, to: morning + 15 * minute })],
    });
    await dog.online();
    await dog.passUntil("half an hour", () => dog.clock.now() >= morning + 31 * minute, hour, 5000);
    await dog.passUntil("all stored", () => dog.sensor.phase === "up" && countPending(dog.sensor.outbox.buffer) === 0);
    const wd = [...dog.cloud.stored.values()].flatMap((record) =>
      record.t === "health" ? [[record.wd, record.reboots]] : [],
    );
    expect(wd[0]).toEqual([1, {}]);
    expect(dog.cloud.births.at(-1)?.birth.reason).toBe("watchdog");
  });

  test("records of a frozen clock wait for the right time and come as estimated", async () => {
    const { cloud, truth, online, pass } = await openTestSensor({
      faults: [frozenClock({ from: morning + 12 * minute, to: morning + 47 * minute })],
    });
    await online();
    await pass(46 * minute, minute);
    expect([...cloud.stored.values()].filter(isCount)).toHaveLength(3);
    await pass(2 * hour, minute);
    const counts = [...cloud.stored.values()].filter(isCount).toSorted((a, b) => a.s - b.s);
    expect(counts.some(({ ck }) => ck === "est")).toBe(true);
    for (const [index, { s }] of counts.entries()) if (index) expect(s).toBe(counts[index - 1]?.e);
    expect(countsIn(counts)).toEqual(seen(truth.rows));
    expect(
      [...cloud.stored.values()].find((record) => record.t === "event" && record.kind === "clock-step"),
    ).toMatchObject({ detail: { fromMs: morning + 12 * minute, toMs: morning + 47 * minute } });
  });

  test("records of a clock that was never set come from 1970 and say that they are bad", async () => {
    const { cloud, online, passUntil, sensor, clock } = await openTestSensor({
      faults: [lostClock({ from: morning + 10 * minute, to: morning + 40 * minute })],
    });
    await online();
    await passUntil("the end", () => clock.now() > morning + hour, 2 * hour, 5000);
    await passUntil("all stored", () => sensor.phase === "up" && countPending(sensor.outbox.buffer) === 0);
    const bad = [...cloud.stored.values()].filter(({ ck }) => ck === "bad");
    expect(bad.length).toBeGreaterThan(4);
    expect(bad.every(({ s }) => s >= 0 && s < hour)).toBe(true);
    expect(cloud.births.some(({ birth }) => birth.clock?.synced === false && birth.clock.now < hour)).toBe(true);
  });
});
