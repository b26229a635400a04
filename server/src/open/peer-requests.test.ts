// Tests requests between processes: messages of any length, and errors if no response arrives.
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBus } from "../kit/bus.ts";
import { createPeerRequests, servePeerRequests } from "./peer-requests.ts";

const bus = createBus(pino({ level: "silent" }));
const sensor = "02:00:00:00:00:01";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("requests and responses of 100,000 characters arrive, each notification below 8,000 bytes", async () => {
  const sizes: number[] = [];
  const off = [bus.on("asked", measure), bus.on("responded", measure)];
  function measure(event: object) {
    sizes.push(JSON.stringify(event).length);
  }
  const ask = createPeerRequests<string, string>(bus, "tunnel");
  const stop = servePeerRequests<string, string>(
    bus,
    "tunnel",
    () => true,
    async (id, text) => `${id} ${text}`,
  );
  const text = "ä😀€ ".repeat(20_000);
  expect(await ask.ask(sensor, text, 1_000)).toBe(`${sensor} ${text}`);
  expect(sizes.length).toBeGreaterThan(30);
  expect(Math.max(...sizes)).toBeLessThan(7_500);
  for (const one of [...off, stop]) one();
  ask.stop();
});

test("only a process that accepts sensor and topic responds", async () => {
  const ask = createPeerRequests<string, string>(bus, "command");
  const stops = [
    servePeerRequests<string, string>(
      bus,
      "tunnel",
      () => true,
      async () => "another topic",
    ),
    servePeerRequests<string, string>(
      bus,
      "command",
      () => false,
      async () => "another sensor",
    ),
  ];
  const asked = expect(ask.ask(sensor, "", 60_000)).rejects.toMatchObject({ kind: "refused" });
  await vi.advanceTimersByTimeAsync(2_000);
  await asked;
  for (const stop of stops) stop();
  ask.stop();
});

test("an accepted request waits for its time and five seconds, or for the stop", async () => {
  const ask = createPeerRequests<string, string>(bus, "command");
  const stop = servePeerRequests<string, string>(
    bus,
    "command",
    () => true,
    () => new Promise(() => undefined),
  );
  const settled: unknown[] = [];
  const late = ask.ask(sensor, "", 30_000).catch((error: unknown) => settled.push(error));
  await vi.advanceTimersByTimeAsync(34_999);
  expect(settled).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await late;
  expect(settled).toMatchObject([{ kind: "late" }]);
  const stopped = expect(ask.ask(sensor, "", 30_000)).rejects.toMatchObject({ kind: "stopped" });
  ask.stop();
  await stopped;
  stop();
});
