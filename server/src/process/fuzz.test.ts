// Sends thousands of requests, generated from the call table's schemas with a fixed seed: no internal error occurs, and every response
// has the declared form.
import { calls } from "@psp/contract/api.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFire } from "../testing/requests/fire.ts";
import { fillPlaceholders, findAnswerFault, updatePool, type Shot, shotArbitrary } from "../testing/requests/fuzz.ts";
import type { IdPool } from "../testing/requests/fuzz-values.ts";
import { seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { createScene, type Scene } from "../testing/scenes/scene.ts";

const requests = 24_000;
const parallel = 6;
/** Calls that can't succeed in this test: they need a responding sensor or a file, or would sign the fuzzer out. */
const locked = new Set([
  "createFirmware",
  "requestSensor",
  "publishToSensor",
  "endSession",
  "findClaimable",
  "claimSensors",
  "importAccounts",
  "correctOccupancy",
  "callPsconnect",
  "checkDisplayLink",
  "changeRemoteSession",
  "endRemoteSession",
  "rpcSensor",
  "getVehiclePositions",
]);

/** Every second one of these calls is made as root, because other callers hardly ever succeed. */
const rootOnly = new Set(["grantSensorLicenses", "grantLocationLicenses"]);

let scene: Scene;
beforeAll(async () => void (scene = await createScene()));
afterAll(() => scene.world.stop());

test(
  "ER-01 ER-03 T-22 fuzzed requests by six callers: no 5xx, valid responses, no internals",
  { timeout: 300_000, tags: "prove" },
  async () => {
    const { world, customer, viewer, stranger, roleless, ids } = scene;
    const pool: IdPool = {
      account: [customer.id, ids.child, stranger.id, world.root.id, viewer.id],
      victim: [ids.child],
      role: [ids.role],
      sensor: [ids.sensor],
      batch: [ids.batch],
      location: [ids.location],
      event: [ids.event],
      initToken: [ids.initToken],
      report: [ids.report],
      firmware: [ids.firmware],
      issue: [ids.issue],
    };
    for (let n = 0; n < 6; n += 1) pool.victim.push((await world.account(`Branch ${n}`, customer, {})).id);
    // The first query loads the places, which may take longer than the fuzzer's five seconds.
    await world.call(world.root, "GET", "/api/geocode?q=Berlin");
    // No JSON call creates firmware, so spares for deletions are uploaded first.
    const image = new TextEncoder().encode("image");
    for (let n = 0; n < 40; n += 1)
      pool.firmware.push((await world.upload(customer, { type: "APS", name: `7.0.${n}` }, image)).id);
    const tokens = [
      world.root.token,
      customer.token,
      customer.token,
      viewer.token,
      stranger.token,
      roleless.token,
      null,
      "x".repeat(43),
    ];
    const { fire, stop } = createFire(world.url, parallel);
    const shots = fc.sample(shotArbitrary(calls), { seed: seedOf(2026), numRuns: requests });
    const met = new Map<string, number>();
    const faults: string[] = [];
    const tokenOf = (shot: Shot, n: number) =>
      rootOnly.has(shot.call.name) && n % 2 === 0 ? world.root.token : (tokens[(n * 7) % tokens.length] ?? null);
    const round = async (shots: readonly Shot[]) => {
      // Fills in all requests of a batch before sending any, so that the timing of responses does not change them.
      for (let first = 0; first < shots.length && faults.length < 10; first += parallel) {
        const volley = shots.slice(first, first + parallel).map((shot) => fillPlaceholders(shot, pool));
        const answers = await Promise.allSettled(volley.map((shot, n) => fire(shot, tokenOf(shot, first + n))));
        for (const [n, shot] of volley.entries()) {
          const summary = `#${first + n} ${shot.kind} ${shot.method} ${shot.path} ${JSON.stringify(shot.headers)} ${shot.body?.slice(0, 300)}`;
          let result = answers[n];
          // A download aborts when another request removes the right to it (ADR 0013); repeated alone, it must be complete.
          if (result?.status === "rejected" && shot.call.binary)
            [result] = await Promise.allSettled([fire(shot, tokenOf(shot, first + n))]);
          if (result?.status !== "fulfilled") {
            faults.push(`${String(result?.reason)} ← ${summary}`);
            continue;
          }
          const fault = findAnswerFault(shot, result.value);
          if (fault !== null) faults.push(`${fault} ← ${summary}`);
          updatePool(pool, shot, result.value);
          const key = `${shot.call.name} ${result.value.status < 300 ? "ok" : "refused"}`;
          met.set(key, (met.get(key) ?? 0) + 1);
        }
      }
    };
    await round(shots);
    // Every call must have succeeded and been refused at least once. Calls that never succeeded are tried again.
    const guarded = calls.filter(({ caller }) => caller === "session");
    const missed = guarded.filter(({ name }) => !locked.has(name) && !met.has(`${name} ok`));
    pool.role.splice(0);
    for (let n = 0; n < 20; n += 1) {
      const body = { name: `Fresh role ${n}`, owner: customer.id, permissions: {} };
      pool.role.push((await world.call(customer, "POST", "/api/role", { body })).id);
    }
    const fresh = Array.from({ length: 20 }, (_, n) => toMac(0x0200_0002_0000 + n));
    for (const _id of fresh)
      await world.call(customer, "POST", "/api/sensor", { body: { _id, type: "APS", owner: customer.id } });
    pool.sensor.splice(0, pool.sensor.length, ...fresh);
    for (const call of missed) await round(fc.sample(shotArbitrary([call]), { seed: seedOf(2027), numRuns: 400 }));
    stop();
    expect(faults).toEqual([]);
    for (const call of guarded) {
      if (!locked.has(call.name))
        expect(met.get(`${call.name} ok`) ?? 0, `${call.name} never succeeded`).toBeGreaterThan(0);
      expect(met.get(`${call.name} refused`) ?? 0, `${call.name} was never refused`).toBeGreaterThan(0);
    }
    expect((await world.call(null, "GET", "/health")).status).toBe(200);
  },
);
