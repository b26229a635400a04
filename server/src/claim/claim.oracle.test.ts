// Compares random sequences of enrolling, deleting, claiming and allowing claims with a small model: same responses, same owners.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claim, enrollLabelled, lookUpClaim, makeClaimable } from "../testing/rights/claiming.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";

const stories = rounds(5, 200);
const clock = createStillClock();
let world: World;
let people: Person[];
beforeAll(async () => {
  world = await createWorld({ clock });
  const rights = [fullPermissions, fullPermissions, { ownable: { sensor: { canCreateObjectFor: { me: true } } } }, {}];
  people = await Promise.all(rights.map((right, n) => world.account(`Person ${n}`, world.root, right)));
});
afterAll(() => world.stop());
const mayNot = 3;

/** The model of a sensor: its owner, whether it can be claimed (`open`), and all codes it ever had. */
type Modelled = { id: string; owner: number | null; open: boolean; codes: string[] };
type Step =
  | { do: "open" | "shut" | "delete"; sensor: number }
  | { do: "look"; who: number; sensor: number; age: number }
  | { do: "claim"; who: number; sensor: number; age: number; other: number; lies: "none" | "type" | "id" }
  | { do: "wait"; minutes: number };

const who = fc.nat({ max: 3 });
const sensor = fc.nat({ max: 2 });
const age = fc.constantFrom(0, 0, 0, 1, 2);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("open" as const), sensor }) },
  fc.record({ do: fc.constantFrom("shut" as const, "delete" as const), sensor }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant("look" as const), who, sensor, age }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      who,
      sensor,
      age,
      other: sensor,
      lies: fc.constantFrom("none" as const, "none" as const, "none" as const, "type" as const, "id" as const),
    }),
  },
  fc.record({ do: fc.constant("wait" as const), minutes: fc.constantFrom(5, 61) }),
);

type Model = { sensors: Modelled[]; misses: number[][]; now: number };
const givenCode = ({ codes }: Modelled, years: number) => codes.at(-1 - years) ?? codes[0] ?? "";
const fits = (one: Modelled, code: string) => one.owner !== null && one.open && one.codes.at(-1) === code;

/** Returns the expected status, and counts a wrong code. */
function foresee(model: Model, person: number, right: boolean): number {
  if (person === mayNot) return 403;
  const misses = model.misses[person] ?? [];
  if (misses.filter((at) => at > model.now - 60).length >= 20) return 429;
  if (!right) misses.push(model.now);
  return right ? 200 : 404;
}

async function act(model: Model, one: Step): Promise<void> {
  if (one.do === "wait") {
    model.now += one.minutes;
    clock.moveTo(clock.now() + one.minutes * 60_000);
    return;
  }
  const target = model.sensors[one.sensor] as Modelled;
  const owner = target.owner === null ? null : (people[target.owner] as Person);
  switch (one.do) {
    case "open":
      if (!owner || !(await maySee(owner, target))) return;
      expect(await makeClaimable(world, owner, target.id)).toBe(target.codes.at(-1));
      target.open = true;
      return;
    case "shut":
      if (!owner || !(await maySee(owner, target))) return;
      await world.call(owner, "PUT", `/api/sensor/${target.id}`, { body: { claimable: false } });
      target.open = false;
      return;
    case "delete":
      if (!owner || !(await maySee(owner, target))) return;
      await world.call(owner, "DELETE", `/api/sensor/${target.id}`);
      Object.assign(target, { owner: null, open: false });
      return;
    case "look": {
      const code = givenCode(target, one.age);
      const reply = await lookUpClaim(world, people[one.who] as Person, code);
      expect(reply.status).toBe(foresee(model, one.who, fits(target, code)));
      return;
    }
    case "claim":
      return claimAs(model, one, target);
  }
}

async function claimAs(model: Model, one: Extract<Step, { do: "claim" }>, target: Modelled): Promise<void> {
  const code = givenCode(target, one.age);
  const named = one.lies === "id" ? (model.sensors[one.other] as Modelled) : target;
  const label = { id: named.id, type: one.lies === "type" ? "ZOD" : "APS", claimingCode: code };
  const right = fits(target, code) && named === target && one.lies !== "type";
  const reply = await claim(world, people[one.who] as Person, [label]);
  expect(reply.status).toBe(foresee(model, one.who, right));
  if (reply.status !== 200) return;
  expect(reply.body).toEqual([{ id: target.id, status: "CLAIMED" }]);
  const seen = await world.call(world.root, "GET", `/api/sensor/${target.id}`);
  const fresh = String(seen.at("claimingCode"));
  expect(model.sensors.flatMap(({ codes }) => codes)).not.toContain(fresh);
  target.codes.push(fresh);
  Object.assign(target, { owner: one.who, open: false });
}

const maySee = async (owner: Person, { id }: Modelled) =>
  (await world.call(owner, "GET", `/api/sensor/${id}`)).status === 200;

test("T-13 CL-04 random claims match the model: owner, responses, budget", async () => {
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      clock.moveTo(clock.now() + 3_600_000);
      const model: Model = { sensors: [], misses: people.map(() => []), now: 0 };
      for (let n = 0; n < 3; n += 1) {
        const { id, claimingCode } = await enrollLabelled(world, people[0] as Person, n === 0);
        model.sensors.push({ id, owner: 0, open: n === 0, codes: [claimingCode] });
      }
      for (const one of steps) await act(model, one);
      for (const { id, owner, open } of model.sensors) {
        const seen = await world.call(world.root, "GET", `/api/sensor/${id}`);
        const real = seen.status === 404 ? null : people.findIndex((one) => one.id === seen.at("owner._id"));
        expect(real).toBe(owner);
        if (owner !== null) expect(seen.at("claimable")).toBe(open);
        outcomes.set(String(owner), (outcomes.get(String(owner)) ?? 0) + 1);
      }
    }),
    { numRuns: stories, seed: seedOf(13) },
  );
  for (const end of ["0", "1", "2", "null"]) expect(outcomes.get(end) ?? 0, end).toBeGreaterThan(0);
});
