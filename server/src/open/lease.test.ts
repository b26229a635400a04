// Tests leases in isolation: what ends a lease, when it is checked, and that no change is missed.
import { setImmediate as turn } from "node:timers/promises";
import { errorCode } from "@psp/contract/errors.ts";
import { pino } from "pino";
import { expect, test } from "vitest";
import { AppError } from "../kit/app-error.ts";
import { createBus, entityUpdated } from "../kit/bus.ts";
import { createLeases, type LeaseTerms } from "./lease.ts";

function place() {
  const bus = createBus(pino({ level: "silent" }));
  const leases = createLeases({ bus });
  const log: string[] = [];
  const hold = (name: string, terms: Partial<LeaseTerms> = {}) =>
    leases.acquire({
      sessionId: name,
      affectedBy: () => "check",
      check: async () => void log.push(`${name} checked`),
      end: (reason) => void log.push(`${name} ended by ${reason instanceof AppError ? reason.code : String(reason)}`),
      ...terms,
    });
  const rights = () => bus.emit({ name: "rightsChanged", event: { accountIds: "all", viewScopeChanged: true } });
  const settled = async () => {
    for (let n = 0; n < 10; n += 1) await turn();
    return log.splice(0);
  };
  return { bus, leases, log, hold, rights, settled };
}

test("T-02 an ended session ends its leases at once, and no others", async () => {
  const { bus, log, hold, settled } = place();
  hold("one");
  hold("two");
  hold("display", { sessionId: null });
  bus.emit({ name: "sessionsEnded", event: { sessionIds: ["one", "unknown"] } });
  expect(log).toEqual(["one ended by 106"]);
  bus.emit({ name: "sessionsEnded", event: { sessionIds: ["one"] } });
  expect(await settled()).toEqual(["one ended by 106"]);
});

test("a change of rights checks affected leases, ends invalid ones, after clearing caches", async () => {
  const { leases, log, hold, rights, settled } = place();
  leases.registerCache(({ kind }) => void log.push(`cache: ${kind}`));
  hold("kept");
  hold("lost", { check: () => Promise.reject(new AppError(errorCode.noView)) });
  hold("refuted", { affectedBy: () => new AppError(errorCode.noEdit) });
  hold("unaffected", { affectedBy: () => "no" });
  rights();
  expect(log).toEqual(["cache: rights", "refuted ended by 305"]);
  expect(await settled()).toEqual(["cache: rights", "refuted ended by 305", "kept checked", "lost ended by 310"]);
  rights();
  expect(await settled()).toEqual(["cache: rights", "kept checked"]);
});

test("a change during a check repeats it, one check at a time", async () => {
  const { hold, rights, settled, log } = place();
  const { promise, resolve } = Promise.withResolvers<void>();
  let running = 0;
  hold("slow", {
    async check() {
      log.push(`begins as ${(running += 1)}`);
      await promise;
      running -= 1;
    },
  });
  rights();
  expect(await settled()).toEqual(["begins as 1"]);
  rights();
  rights();
  expect(await settled()).toEqual([]);
  resolve();
  expect(await settled()).toEqual(["begins as 1"]);
});

test("hanging checks do not delay others", async () => {
  const { hold, rights, settled } = place();
  for (let n = 0; n < 5; n += 1) hold(`hanging ${n}`, { check: () => new Promise(() => undefined) });
  hold("quick");
  rights();
  expect(await settled()).toEqual(["quick checked"]);
});

test("released or ended leases are neither checked nor ended again", async () => {
  const { bus, leases, hold, rights, settled } = place();
  const released = hold("released");
  const failing = hold("failing", { check: () => Promise.reject(new Error("no database")) });
  rights();
  released.release();
  expect(await settled()).toEqual(["failing ended by Error: no database"]);
  failing.recheck();
  released.recheck();
  leases.recheckAll();
  bus.emit({ name: "sessionsEnded", event: { sessionIds: ["released", "failing"] } });
  expect(await settled()).toEqual([]);
});

test("only events that can remove something reach a lease; a gap reaches all", async () => {
  const { bus, leases, hold, settled } = place();
  hold("one");
  const entity = { type: "sensor", op: "update", id: "s", ownerBefore: "a", ownerAfter: "a" } as const;
  bus.emit(entityUpdated("sensor", "s", "a"));
  bus.emit({ name: "entityChanged", event: { ...entity, op: "create", ownerBefore: null } });
  bus.emit({ name: "entityChanged", event: { ...entity, type: "account", presence: true } });
  expect(await settled()).toEqual([]);
  for (const event of [
    { ...entity, ownerAfter: "b" },
    { ...entity, op: "delete" as const },
    { ...entity, type: "role" as const },
  ]) {
    bus.emit({ name: "entityChanged", event });
    expect(await settled(), JSON.stringify(event)).toEqual(["one checked"]);
  }
  bus.emit({ name: "displaysRevoked", event: { locationIds: ["l"] } });
  expect(await settled()).toEqual(["one checked"]);
  leases.recheckAll();
  expect(await settled()).toEqual(["one checked"]);
});
