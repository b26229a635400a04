// Five thousand requests from the call table's own schemas, always the same ones: no fault inside, every answer as promised (R2).
import { calls } from "@psp/contract/api.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFire } from "../testing/fire.ts";
import { aimed, faultOf, harvest, shotArbitrary } from "../testing/fuzz.ts";
import type { Pool } from "../testing/fuzz-values.ts";
import { createScene, type Scene } from "../testing/scene.ts";

const requests = 5_000;
const parallel = 6;
/** What succeeds only with a sensor that answers. */
const locked = new Set(["requestSensor", "publishToSensor"]);

let scene: Scene;
beforeAll(async () => void (scene = await createScene()));
afterAll(() => scene.world.stop());

test(
  "ER-01 ER-03 T-22 fuzzed requests by six kinds of callers: no 5xx, every answer as the contract says, nothing told of the inside",
  { timeout: 120_000 },
  async () => {
    const { world, customer, viewer, stranger, roleless, ids } = scene;
    const pool: Pool = {
      account: [customer.id, ids.child, stranger.id, world.root.id, viewer.id],
      victim: [ids.child],
      role: [ids.role],
      sensor: [ids.sensor],
      location: [ids.location],
      initToken: [ids.initToken],
      firmware: [ids.firmware],
    };
    // No call makes firmware out of JSON: enough for those that are going to be deleted.
    for (let n = 0; n < 40; n += 1) pool.firmware.push(await world.firmware(customer, "APS", `7.0.${n}`));
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
    const shots = fc.sample(shotArbitrary(calls), { seed: 2024, numRuns: requests });
    const met = new Map<string, number>();
    const faults: string[] = [];
    let next = 0;
    const worker = async () => {
      while (next < shots.length && faults.length < 10) {
        const n = (next += 1) - 1;
        const shot = aimed(shots[n] as (typeof shots)[number], pool);
        const token = tokens[(n * 7) % tokens.length] ?? null;
        const told = `#${n} ${shot.kind} ${shot.method} ${shot.path} ${JSON.stringify(shot.headers)} ${shot.body?.slice(0, 300)}`;
        try {
          const answer = await fire(shot, token);
          const fault = faultOf(shot, answer);
          if (fault !== null) faults.push(`${fault} ← ${told}`);
          harvest(pool, shot, answer);
          const key = `${shot.call.name} ${answer.status < 300 ? "ok" : "refused"}`;
          met.set(key, (met.get(key) ?? 0) + 1);
        } catch (error) {
          faults.push(`${String(error)} ← ${told}`);
        }
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    stop();
    expect(faults).toEqual([]);
    // The fuzzer must get through the doors it shakes: every call was answered well and refused.
    for (const call of calls.filter(({ caller }) => caller === "session")) {
      if (!locked.has(call.name))
        expect(met.get(`${call.name} ok`) ?? 0, `${call.name} never succeeded`).toBeGreaterThan(0);
      expect(met.get(`${call.name} refused`) ?? 0, `${call.name} was never refused`).toBeGreaterThan(0);
    }
    expect((await world.call(null, "GET", "/health")).status).toBe(200);
  },
);
