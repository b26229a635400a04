// Tests the live hub in isolation: what reconnecting clients receive while events arrive concurrently.
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import type { Watch } from "@psp/contract/live/live.ts";
import { createBus } from "../kit/bus.ts";
import { createClock } from "../kit/clock.ts";
import type { Context } from "../context.ts";
import type { SessionActor } from "../kit/caller.ts";
import { createMetrics } from "../kit/metrics.ts";
import { createHub, type LiveClient } from "./hub.ts";

const log = pino({ level: "silent" });
const canViewObject = { me: true };
const permissions = { ownable: { sensor: { canViewObject }, measurement: { canViewObject } } };
const actor = { id: "reader", parentAccounts: [], roleId: "role", permissions } as unknown as SessionActor;

/** Creates a hub without sources, so that changed objects reach no client. */
function place(
  countedOwners: Parameters<typeof createHub>[3],
  changedVehicles: Parameters<typeof createHub>[4] = async () => [],
) {
  const bus = createBus(log);
  const ctx = { bus, log, clock: createClock(), metrics: createMetrics() } as Context;
  const hub = createHub(ctx, { byId: async () => actor }, async () => new Map(), countedOwners, changedVehicles);
  const change = () =>
    bus.emit({
      name: "entityChanged",
      event: { type: "sensor", op: "update", id: "one", ownerBefore: "owner", ownerAfter: "owner" },
    });
  const enter = (since: string | null, watch: Watch | null = null) => {
    const frames: { type: string; cursor: string }[] = [];
    const client: LiveClient = {
      sessionId: "s",
      actor,
      watch,
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

test("LI-01 a vehicle during a resume does not move the cursor past missed counts", async () => {
  const mine = { locations: new Map([["l", actor]]), sensors: new Map() };
  const asked: string[][] = [];
  let answer = () => undefined as void;
  const held = new Promise<void>((resolve) => (answer = resolve));
  const countedOwners = async (locationIds: string[]) => {
    asked.push(locationIds);
    await held;
    return mine;
  };
  const vehicle = { owner: actor, op: "update" as const, obj: { _id: "v", coaches: [] } };
  const { bus, hub, change, enter } = place(countedOwners, async () => [vehicle]);
  change();
  const watch = { measIDs: ["l"], sensorIDs: [], any: false, vehicles: true };
  const [hello] = enter(null, { ...watch, measIDs: [] });
  const before = hub.latest();
  bus.emit({ name: "countsStored", event: { counts: [{ locationId: "l", sensorId: "s", fromMs: 0, toMs: 1 }] } });
  await vi.waitFor(() => expect(hub.latest()).toBeGreaterThan(before));
  const back = enter(hello?.cursor ?? "", watch);
  await vi.waitFor(() => expect(asked).toEqual([["l"]]));
  bus.emit({ name: "coachesChanged", event: { sensorIds: ["s"], moved: false } });
  await vi.waitFor(() => expect(back.map(({ type }) => type)).toEqual(["vehicle"]));
  answer();
  const again = enter(back[0]?.cursor ?? "", watch);
  await vi.waitFor(() => expect(again.map(({ type }) => type)).toEqual(["datapoint", "hello"]));
  await hub.stop();
});
