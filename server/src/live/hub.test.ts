// Tests the live hub in isolation: what reconnecting clients receive while events arrive concurrently.
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { createBus } from "../kit/bus.ts";
import { createClock } from "../kit/clock.ts";
import type { Context } from "../context.ts";
import type { SessionActor } from "../kit/caller.ts";
import { createMetrics } from "../kit/metrics.ts";
import { createHub, type LiveClient } from "./hub.ts";

const log = pino({ level: "silent" });
const actor = { id: "reader" } as SessionActor;

/** Creates a hub whose clients may view nothing, so they receive only `hello` and `resync` frames. */
function place(countedOwners: Parameters<typeof createHub>[3]) {
  const bus = createBus(log);
  const ctx = { bus, log, clock: createClock(), metrics: createMetrics() } as Context;
  const hub = createHub(
    ctx,
    { byId: async () => actor },
    async () => new Map(),
    countedOwners,
    async () => [],
  );
  const change = () =>
    bus.emit({
      name: "entityChanged",
      event: { type: "sensor", op: "update", id: "one", ownerBefore: "owner", ownerAfter: "owner" },
    });
  const enter = (since: string | null) => {
    const frames: { type: string; cursor: string }[] = [];
    const client: LiveClient = {
      sessionId: "s",
      actor,
      watch: null,
      sent: 0,
      send: (frame) => frames.push(JSON.parse(frame) as (typeof frames)[0]) > 0,
      close: () => undefined,
    };
    hub.join(client, since);
    return frames;
  };
  return { bus, hub, change, enter };
}

test("LI-01 a client that resumes while events are lost reloads", async () => {
  const { hub, change, enter } = place(async () => ({ locations: new Map(), sensors: new Map() }));
  change();
  const [hello] = enter(null);
  change();
  const back = enter(hello?.cursor ?? "");
  await hub.missed();
  await hub.stop();
  expect(back.map(({ type }) => type)).toEqual(["resync"]);
});

test("LI-01 clients that resume while the database is unavailable reload, later ones are served", async () => {
  const { bus, hub, change, enter } = place(() => Promise.reject(new Error("the database is away")));
  change();
  const [hello] = enter(null);
  const counted = { locationId: "l", sensorId: "s", fromMs: 0, toMs: 1 };
  const before = hub.latest();
  bus.emit({ name: "countsStored", event: { counts: [counted] } });
  await vi.waitFor(() => expect(hub.latest()).toBeGreaterThan(before));
  change();
  const since = hello?.cursor ?? "";
  const first = enter(since);
  await vi.waitFor(() => expect(first.map(({ type }) => type)).toEqual(["resync", "hello"]));
  const second = enter(since);
  await vi.waitFor(() => expect(second.map(({ type }) => type)).toContain("hello"));
  await hub.stop();
});
