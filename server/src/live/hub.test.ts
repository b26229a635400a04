// Tests the live hub in isolation: what reconnecting clients receive while events arrive concurrently.
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Watch } from "@psp/contract/live/live.ts";
import type { Batch, Position } from "../db/bus/announcements.ts";
import type { Announcement } from "../kit/bus.ts";
import type { SessionActor } from "../kit/caller.ts";
import { createMetrics } from "../kit/metrics.ts";
import { createHub, type LiveClient, type LiveSource } from "./hub.ts";

const log = pino({ level: "silent" });
const canViewObject = { me: true };
const permissions = { ownable: { sensor: { canViewObject }, measurement: { canViewObject } } };
const actor = { id: "reader", parentAccounts: [], roleId: "role", permissions } as unknown as SessionActor;

// Counts are collected for some time.
beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterAll(() => void vi.useRealTimers());

/** A log of announcements in memory. The n-th one is visible in the snapshot `n:n:`. */
function createLog() {
  const all: Announcement[] = [];
  const listeners = new Set<(batch: Batch) => void>();
  let epoch = "00000000-0000-0000-0000-000000000001";
  const position = (): Position => ({ epoch, snapshot: `${all.length}:${all.length}:` });
  const indexOf = ({ snapshot }: Position) => Number(snapshot.split(":")[0]);
  return {
    announce(item: Announcement) {
      all.push(item);
      for (const listener of listeners) listener({ events: [item], position: position(), since: 0 });
    },
    loseAll: () => void (epoch = "00000000-0000-0000-0000-000000000002"),
    source: {
      position,
      pull: async () => undefined,
      onBatch(_names: unknown, listener: (batch: Batch) => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      between: async (from: Position, to: Position, wanted: string) =>
        from.epoch === epoch && to.epoch === epoch
          ? all.slice(indexOf(from), indexOf(to)).filter(({ name }) => name === wanted)
          : null,
    },
  };
}

/** Creates a hub without sources, so that changed objects reach no client. */
function place(
  countedOwners: Parameters<typeof createHub>[3],
  changedVehicles: Parameters<typeof createHub>[4] = async () => [],
) {
  const { announce, loseAll, source } = createLog();
  const config = { secrets: { session: "s".repeat(40) } } as Parameters<typeof createHub>[0]["config"];
  const ctx = { announcements: source, config, log, metrics: createMetrics() };
  const ownersOf = async () => new Map([["mine", actor]]);
  const hub = createHub(ctx, { byIds: async () => new Map([["s", actor]]) }, ownersOf, countedOwners, changedVehicles);
  const change = () =>
    announce({
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
  const start = async (watch: Watch | null = null) => {
    const frames = enter(null, watch);
    await vi.waitFor(() => expect(types(frames)).toEqual(["hello"]));
    return frames;
  };
  let sensors = 0;
  /** Counts of another sensor each time. Returns once they have been collected. */
  const count = async () => {
    sensors += 1;
    const counts = [{ locationId: "l", sensorId: `s${sensors}`, fromMs: 0, toMs: 1 }];
    announce({ name: "countsStored", event: { counts } });
    await vi.advanceTimersByTimeAsync(200);
  };
  return { announce, loseAll, source, hub, change, count, enter, start };
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
  const { hub, change, enter, loseAll, start } = place(async () => ({ locations: new Map(), sensors: new Map() }));
  change();
  const [hello] = await start();
  change();
  const back = enter(hello?.cursor ?? "");
  loseAll();
  await hub.missed();
  await hub.stop();
  expect(back.map(({ type }) => type)).toEqual(["resync"]);
});

test("LI-01 a client that waits for the database while events are lost reloads", async () => {
  const { hub, source, change, enter, start } = place(async () => ({ locations: new Map(), sensors: new Map() }));
  change();
  const [hello] = await start();
  change();
  vi.spyOn(source, "between").mockRejectedValueOnce(Object.assign(new Error("unavailable"), { code: "57P03" }));
  const back = enter(hello?.cursor ?? "");
  await vi.advanceTimersByTimeAsync(100);
  await hub.missed();
  await vi.advanceTimersByTimeAsync(1_000);
  await hub.stop();
  expect(types(back)).toEqual(["resync"]);
});

test("LI-01 clients that resume while counts cannot be read reload, later ones are served", async () => {
  const { hub, change, count, enter, start } = place(() => Promise.reject(new Error("a fault")));
  change();
  const [hello] = await start();
  await count();
  change();
  const since = hello?.cursor ?? "";
  const first = enter(since);
  await vi.waitFor(() => expect(first.map(({ type }) => type)).toEqual(["resync", "hello"]));
  const second = enter(since);
  await vi.waitFor(() => expect(second.map(({ type }) => type)).toContain("hello"));
  await hub.stop();
});

test("LI-01 a database that is unavailable for a while makes no client reload", async () => {
  let isDown = false;
  const whenBack = <T>(value: T) =>
    isDown ? Promise.reject(Object.assign(new Error("unavailable"), { code: "57P03" })) : Promise.resolve(value);
  const { hub, source, change, count, enter, start, announce } = place(
    () => whenBack({ locations: new Map([["l", actor]]), sensors: new Map() }),
    () => whenBack([{ owner: actor, op: "update", obj: { _id: "v" } } as never]),
  );
  hub.register("sensor", { ...visible, load: (ids) => whenBack(new Map(ids.map((id) => [id, shown]))) });
  const between = vi.spyOn(source, "between");
  const all = await start();
  const watching = await start(watchNothing);
  watching.say({ ...watchNothing, any: true, vehicles: true });
  const since = all[0]?.cursor ?? "";
  isDown = true;
  change();
  await count();
  announce({ name: "coachesChanged", event: { sensorIds: ["a"], moved: false } });
  between.mockRejectedValueOnce(Object.assign(new Error("unavailable"), { code: "ECONNREFUSED" }));
  const back = enter(since);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([...all, ...watching, ...back].map(({ type }) => type)).toEqual(["hello", "hello"]);
  isDown = false;
  await vi.advanceTimersByTimeAsync(1_000);
  for (const [frames, expected] of [
    [all, ["datapoint", "hello", "sensor"]],
    [watching, ["datapoint", "hello", "sensor", "vehicle"]],
    [back, ["datapoint", "hello", "sensor"]],
  ] as const)
    expect(types(frames).toSorted()).toEqual(expected);
  await hub.stop();
});

test("LI-01 after a minute without the database, clients reload", async () => {
  const unavailable = () => Promise.reject(Object.assign(new Error("unavailable"), { code: "57P03" }));
  const { hub, change, start } = place(unavailable);
  hub.register("sensor", { ...visible, load: unavailable });
  const frames = await start();
  change();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(types(frames)).toEqual(["hello"]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(types(frames)).toEqual(["hello", "resync"]);
  await hub.stop();
});

test("LI-01 a vehicle during a resume does not move the cursor past missed counts", async () => {
  const owners = holdOwners();
  const vehicle = { owner: actor, op: "update" as const, obj: { _id: "v", coaches: [] } };
  const { announce, hub, change, count, enter, start } = place(owners.load, async () => [vehicle]);
  change();
  const watch = { measIDs: ["l"], sensorIDs: [], any: false, vehicles: true };
  const [hello] = await start({ ...watch, measIDs: [] });
  await count();
  const back = enter(hello?.cursor ?? "", watch);
  back.say(watch);
  await vi.waitFor(() => expect(owners.asked).toEqual([["l"]]));
  announce({ name: "coachesChanged", event: { sensorIds: ["s"], moved: false } });
  await vi.waitFor(() => expect(back.map(({ type }) => type)).toEqual(["vehicle"]));
  owners.release();
  const again = enter(back[0]?.cursor ?? "", watch);
  again.say(watch);
  await vi.waitFor(() => expect(again.map(({ type }) => type)).toEqual(["datapoint", "hello"]));
  await hub.stop();
});

test("LI-01 a client that is cut off during a resume gets missed counts with the next one", async () => {
  const owners = holdOwners();
  const { hub, change, count, enter, start } = place(owners.load);
  hub.register("sensor", visible);
  change();
  const [hello] = await start(watchNothing);
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
  await vi.waitFor(() => expect(types(last)).toEqual(["hello"]));
  await hub.stop();
});

test("LI-01 counts that arrive during a resume come after the missed ones, once", async () => {
  const owners = holdOwners();
  const { hub, change, count, enter, start } = place(owners.load);
  change();
  const [hello] = await start(watchNothing);
  await count();
  const back = enter(hello?.cursor ?? "");
  await vi.waitFor(() => expect(owners.asked).toHaveLength(1));
  await count();
  owners.release();
  await vi.waitFor(() => expect(types(back)).toEqual(["datapoint", "hello", "datapoint"]));
  await count();
  await vi.waitFor(() => expect(back).toHaveLength(4));
  // During a resume, the cursor stays where the client began.
  for (const [n, missing] of [3, 2, 1, 0].entries()) {
    const again = enter(back[n]?.cursor ?? "");
    await vi.waitFor(() => expect(types(again)).toEqual([...Array<string>(missing).fill("datapoint"), "hello"]));
  }
  await hub.stop();
});

test("LI-01 a client that is cut off before its first watch gets missed counts with the next one", async () => {
  const owners = holdOwners();
  owners.release();
  const { hub, change, count, enter, start } = place(owners.load);
  hub.register("sensor", visible);
  change();
  const [hello] = await start(watchNothing);
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
  const { hub, change, count, enter, start } = place(owners.load);
  hub.register("sensor", visible);
  change();
  const here = await start();
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
  const { hub, change, count, enter, start } = place(owners.load);
  const loaded = Promise.withResolvers<void>();
  hub.register("sensor", { ...visible, load: (ids) => loaded.promise.then(() => visible.load(ids)) });
  const here = await start();
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
  const { announce, hub, enter, start } = place(holdOwners().load);
  const load = async (ids: string[]) => new Map(ids.filter((id) => id !== "given").map((id) => [id, shown]));
  hub.register("sensor", { ...visible, load });
  const here = await start();
  const emit = (id: string, ownerBefore: string, ownerAfter: string) =>
    announce({ name: "entityChanged", event: { type: "sensor", op: "update", id, ownerBefore, ownerAfter } });
  emit("given", "mine", "theirs");
  emit("kept", "mine", "mine");
  emit("given", "theirs", "theirs");
  await vi.waitFor(() => expect(ops(here)).toEqual([undefined, "update", "delete"]));
  const again = enter(here[1]?.cursor ?? "");
  await vi.waitFor(() => expect(types(again)).toContain("hello"));
  expect(ops(again)).toEqual(["update", "delete", undefined]);
  const last = enter(here[2]?.cursor ?? "");
  await vi.waitFor(() => expect(types(last)).toEqual(["hello"]));
  await hub.stop();
});
