// Tests the live hub in isolation: what reconnecting clients receive while events arrive concurrently.
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import type { Watch } from "@psp/contract/live/live.ts";
import { createBus } from "../kit/bus.ts";
import { createClock } from "../kit/clock.ts";
import type { Context } from "../context.ts";
import type { SessionActor } from "../kit/caller.ts";
import { createMetrics } from "../kit/metrics.ts";
import { createHub, type LiveClient, type LiveSource } from "./hub.ts";

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
  const ownersOf = async () => new Map([["mine", actor]]);
  const hub = createHub(ctx, { byId: async () => actor }, ownersOf, countedOwners, changedVehicles);
  const change = () =>
    bus.emit({
      name: "entityChanged",
      event: { type: "sensor", op: "update", id: "one", ownerBefore: "owner", ownerAfter: "owner" },
    });
  const enter = (since: string | null, watch: Watch | null = null) => {
    const frames: { type: string; op?: string; cursor: string }[] = [];
    const client: LiveClient = {
      sessionId: "s",
      actor,
      watch,
      sent: 0,
      send: (frame) => frames.push(JSON.parse(frame) as (typeof frames)[0]) > 0,
      close: () => undefined,
    };
    hub.join(client, since);
    return Object.assign(frames, {
      say: (wanted: Watch) => hub.watch(client, wanted),
      leave: () => hub.leave(client),
    });
  };
  /** Returns once the counts have a number. */
  const count = async () => {
    const before = hub.latest();
    bus.emit({ name: "countsStored", event: { counts: [{ locationId: "l", sensorId: "s", fromMs: 0, toMs: 1 }] } });
    await vi.waitFor(() => expect(hub.latest()).toBeGreaterThan(before));
  };
  return { bus, hub, change, count, enter };
}

/** Holds back the owners of counts until `release`, so that counts are not delivered before. */
function holdOwners() {
  const released = Promise.withResolvers<void>();
  const asked: string[][] = [];
  const load = async (locationIds: string[]) => {
    asked.push(locationIds);
    await released.promise;
    return { locations: new Map([["l", actor]]), sensors: new Map() };
  };
  return { load, asked, release: released.resolve };
}

const shown = { owner: actor, mayView: () => true, variantOf: () => "", render: () => ({ _id: "one" }) };
const visible: LiveSource = { load: async (ids) => new Map(ids.map((id) => [id, shown])), mayViewOwner: () => true };
const watchNothing = { measIDs: [], sensorIDs: [], any: false };
const ops = (frames: readonly { op?: string }[]) => frames.map(({ op }) => op);
const types = (frames: readonly { type: string }[]) => frames.map(({ type }) => type);

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
  const { hub, change, count, enter } = place(() => Promise.reject(new Error("the database is away")));
  change();
  const [hello] = enter(null);
  await count();
  change();
  const since = hello?.cursor ?? "";
  const first = enter(since);
  await vi.waitFor(() => expect(first.map(({ type }) => type)).toEqual(["resync", "hello"]));
  const second = enter(since);
  await vi.waitFor(() => expect(second.map(({ type }) => type)).toContain("hello"));
  await hub.stop();
});

test("LI-01 a vehicle during a resume does not move the cursor past missed counts", async () => {
  const owners = holdOwners();
  const vehicle = { owner: actor, op: "update" as const, obj: { _id: "v", coaches: [] } };
  const { bus, hub, change, count, enter } = place(owners.load, async () => [vehicle]);
  change();
  const watch = { measIDs: ["l"], sensorIDs: [], any: false, vehicles: true };
  const [hello] = enter(null, { ...watch, measIDs: [] });
  await count();
  const back = enter(hello?.cursor ?? "", watch);
  back.say(watch);
  await vi.waitFor(() => expect(owners.asked).toEqual([["l"]]));
  bus.emit({ name: "coachesChanged", event: { sensorIds: ["s"], moved: false } });
  await vi.waitFor(() => expect(back.map(({ type }) => type)).toEqual(["vehicle"]));
  owners.release();
  const again = enter(back[0]?.cursor ?? "", watch);
  again.say(watch);
  await vi.waitFor(() => expect(again.map(({ type }) => type)).toEqual(["datapoint", "hello"]));
  await hub.stop();
});

test("LI-01 a client that is cut off during a resume gets missed counts with the next one", async () => {
  const owners = holdOwners();
  const { hub, change, count, enter } = place(owners.load);
  hub.register("sensor", visible);
  change();
  const [hello] = enter(null, watchNothing);
  await count();
  change();
  const back = enter(hello?.cursor ?? "");
  await vi.waitFor(() => expect(types(back)).toEqual(["sensor"]));
  await vi.waitFor(() => expect(owners.asked).toHaveLength(1));
  back.leave();
  owners.release();
  const again = enter(back[0]?.cursor ?? "");
  await vi.waitFor(() => expect(types(again)).toEqual(["sensor", "datapoint", "hello"]));
  const last = enter(again.at(-1)?.cursor ?? "");
  expect(types(last)).toEqual(["hello"]);
  await hub.stop();
});

test("LI-01 counts that arrive during a resume come after the missed ones, once", async () => {
  const owners = holdOwners();
  const { hub, change, count, enter } = place(owners.load);
  change();
  const [hello] = enter(null, watchNothing);
  await count();
  const back = enter(hello?.cursor ?? "");
  await vi.waitFor(() => expect(owners.asked).toHaveLength(1));
  await count();
  owners.release();
  await vi.waitFor(() => expect(types(back)).toEqual(["datapoint", "hello", "datapoint"]));
  await count();
  await vi.waitFor(() => expect(back).toHaveLength(4));
  for (const [n, missing] of [2, 2, 1, 0].entries()) {
    const again = enter(back[n]?.cursor ?? "");
    await vi.waitFor(() => expect(types(again)).toEqual([...Array<string>(missing).fill("datapoint"), "hello"]));
  }
  await hub.stop();
});

test("LI-01 a client that is cut off before its first watch gets missed counts with the next one", async () => {
  const owners = holdOwners();
  owners.release();
  const { hub, change, count, enter } = place(owners.load);
  hub.register("sensor", visible);
  change();
  const [hello] = enter(null, watchNothing);
  await count();
  const back = enter(hello?.cursor ?? "", watchNothing);
  await vi.waitFor(() => expect(types(back)).toEqual(["hello"]));
  change();
  await vi.waitFor(() => expect(types(back)).toEqual(["hello", "sensor"]));
  back.leave();
  const again = enter(back[1]?.cursor ?? "", watchNothing);
  again.say({ ...watchNothing, measIDs: ["L"] });
  await vi.waitFor(() => expect(types(again)).toEqual(["sensor", "datapoint", "hello"]));
  await hub.stop();
});

test("LI-01 a client that is cut off between a change and earlier counts gets those counts", async () => {
  const owners = holdOwners();
  const { hub, change, count, enter } = place(owners.load);
  hub.register("sensor", visible);
  change();
  const here = enter(null);
  await count();
  await vi.waitFor(() => expect(owners.asked).toHaveLength(1));
  change();
  await vi.waitFor(() => expect(types(here)).toEqual(["hello", "sensor"]));
  here.leave();
  owners.release();
  const again = enter(here[1]?.cursor ?? "");
  await vi.waitFor(() => expect(types(again)).toEqual(["sensor", "datapoint", "hello"]));
  await hub.stop();
});

test("LI-01 a client that is cut off between counts and an earlier change gets that change", async () => {
  const owners = holdOwners();
  owners.release();
  const { hub, change, count, enter } = place(owners.load);
  const loaded = Promise.withResolvers<void>();
  hub.register("sensor", { ...visible, load: (ids) => loaded.promise.then(() => visible.load(ids)) });
  const here = enter(null);
  change();
  await count();
  await vi.waitFor(() => expect(types(here)).toEqual(["hello", "datapoint"]));
  here.leave();
  loaded.resolve();
  const again = enter(here[1]?.cursor ?? "");
  await vi.waitFor(() => expect(types(again)).toEqual(["sensor", "datapoint", "hello"]));
  await hub.stop();
});

test("LI-01 a client that is cut off between merged changes still gets the removal", async () => {
  const { bus, hub, enter } = place(holdOwners().load);
  const load = async (ids: string[]) => new Map(ids.filter((id) => id !== "given").map((id) => [id, shown]));
  hub.register("sensor", { ...visible, load });
  const here = enter(null);
  const emit = (id: string, ownerBefore: string, ownerAfter: string) =>
    bus.emit({ name: "entityChanged", event: { type: "sensor", op: "update", id, ownerBefore, ownerAfter } });
  emit("given", "mine", "theirs");
  emit("kept", "mine", "mine");
  emit("given", "theirs", "theirs");
  await vi.waitFor(() => expect(ops(here)).toEqual([undefined, "update", "delete"]));
  const again = enter(here[1]?.cursor ?? "");
  await vi.waitFor(() => expect(types(again)).toContain("hello"));
  expect(ops(again)).toEqual(["update", "delete", undefined]);
  expect(types(enter(here[2]?.cursor ?? ""))).toEqual(["hello"]);
  await hub.stop();
});
