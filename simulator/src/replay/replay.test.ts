// Replays a count file into the cloud: out of order, in parts, twice, and with a bad connection.
import { expect, onTestFinished, test } from "vitest";
import { parseCounts, replay, type ReplaySetup } from "./replay.ts";
import { openCloud, type Cloud } from "../testing/cloud.ts";
import { generateCountFile } from "../testing/count-file.ts";
import { createVirtualClock } from "../testing/virtual-clock.ts";

const id = "02:00:00:00:00:77";
const made = generateCountFile({ from: [2005, 10, 24], days: 14, strayReturns: true });
const file = parseCounts(made.text, "America/Los_Angeles");

async function openStage(): Promise<{
  cloud: Cloud;
  play: (change?: Partial<ReplaySetup>) => ReturnType<typeof replay>;
}> {
  const cloud = await openCloud();
  onTestFinished(() => cloud.close());
  cloud.passwords.set("020000000077", "secret");
  const play = async (change: Partial<ReplaySetup> = {}) => {
    const net = createVirtualClock(Date.UTC(2026, 0, 1));
    let isOver = false;
    const running = replay({
      id,
      broker: { host: "127.0.0.1", port: cloud.mqttPort, tls: false },
      password: "secret",
      file,
      order: "forward",
      half: null,
      twice: false,
      net,
      log: () => undefined,
      ...change,
    }).finally(() => void (isOver = true));
    // The error is handled where the promise is awaited below.
    running.catch(() => undefined);
    while (!isOver) {
      net.pass(50);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return running;
  };
  return { cloud, play };
}

function sums(cloud: Cloud): { records: number; in: number; out: number } {
  const counts = cloud.countsOf(id).flatMap((record) => (record.t === "count" ? record.lines : []));
  return {
    records: counts.length,
    in: counts.reduce((sum, line) => sum + line.in, 0),
    out: counts.reduce((sum, line) => sum + line.out, 0),
  };
}

const whole = { records: 14 * 48, in: made.totalIn, out: made.totalOut };

test("DE-02 a file arrives as half-hour back-fill of one sensor, in full", async () => {
  const { cloud, play } = await openStage();
  expect(await play()).toMatchObject({ records: 672, batches: 4, in: made.totalIn, out: made.totalOut });
  expect(sums(cloud)).toEqual(whole);
  expect(cloud.batches.every(({ topic, numbers }) => topic === "fill" && numbers.length <= 200)).toBe(true);
  const counts = cloud.countsOf(id);
  expect(counts.every((record) => (record.e ?? 0) - record.s === 1_800_000 && record.ck === "ok")).toBe(true);
  expect(cloud.births[0]?.birth).toMatchObject({ ep: file.ep, seq: { first: 1, next: 673 } });
  expect(cloud.deaths.at(-1)?.body).toMatchObject({ why: "shutdown" });
});

test("sent reversed, shuffled, in halves and twice it is still the same", async () => {
  const { cloud, play } = await openStage();
  await play({ half: "second", order: "reverse" });
  expect(sums(cloud).records).toBe(336);
  await play({ half: "first", order: "shuffle" });
  expect(sums(cloud)).toEqual(whole);
  const before = cloud.batches.length;
  await play({ twice: true });
  expect(cloud.batches.length - before).toBe(8);
  expect(sums(cloud)).toEqual(whole);
  expect(cloud.refused).toEqual([]);
});

test("what the server lost is sent again before the end is reported", async () => {
  const { cloud, play } = await openStage();
  cloud.faults.dropBatches = 2;
  await play();
  expect(sums(cloud)).toEqual(whole);
});

test("reports when the credential is refused or no broker is there", async () => {
  const { cloud, play } = await openStage();
  await expect(play({ password: "wrong" })).rejects.toThrow(/refused the credential of 02:00:00:00:00:77/);
  expect(cloud.births).toEqual([]);
  await expect(play({ broker: { host: "127.0.0.1", port: 1, tls: false } })).rejects.toThrow(
    /No connection to the broker at 127.0.0.1:1/,
  );
});
