// Random writes by several accounts at two processes, while the replica pauses, resumes, dies and comes back, and reads that are compared with
// a model: each shows everything that was committed before it began.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Chance, createChance, pick } from "../testing/chance.ts";
import { createReplicaWorld, type ReplicaWorld } from "../testing/database/replica-world.ts";
import { until } from "../testing/devices/device-world.ts";
import type { Person } from "../testing/world.ts";

let at: ReplicaWorld;
beforeAll(async () => {
  at = await createReplicaWorld();
});
afterAll(() => at.stop());

const noPermissions: Permissions = { owner: {}, ownable: {} };

type Model = { owners: Map<string, Person>; withoutRights: Set<Person> };
const copyOf = ({ owners, withoutRights }: Model): Model => ({
  owners: new Map(owners),
  withoutRights: new Set(withoutRights),
});
const visible = ({ owners, withoutRights }: Model, who: Person): string[] =>
  withoutRights.has(who) ? [] : [...owners].flatMap(([id, owner]) => (owner === who ? id : [])).toSorted();

async function send(n: number, who: Person, method: string, path: string, body?: unknown) {
  const response = await fetch((n === 0 ? at.world : at.beside).url + path, {
    method,
    headers: {
      authorization: `Bearer ${who.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.status, `${method} ${path} ${text}`).toBe(200);
  return JSON.parse(text) as Record<string, unknown>;
}

/** What each way of reading shows of the locations. */
const readers: ((n: number, who: Person) => Promise<string[] | number>)[] = [
  async (n, who) => {
    const { objects } = await send(n, who, "GET", "/api/v2/counts/locations?range=today&limit=500");
    return (objects as { _id: string }[]).map(({ _id }) => _id).toSorted();
  },
  async (n, who) => (await send(n, who, "GET", "/api/v2/counts/total?range=today"))["locations"] as number,
  async (n, who) => {
    const { totalByOccupancyLicense: groups } = await send(n, who, "GET", "/api/v2/measurement/stats");
    return (groups as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
  },
];

/** A read at a process. Changed rights reach the other process by announcements. */
function begin(chance: Chance, people: readonly Person[]) {
  const [n, who, read] = [chance.below(2), pick(people, chance), pick(readers, chance)];
  return { process: n === 0 ? at.world.server : at.beside, who, read: () => read(n, who) };
}

function compare(shown: unknown, who: Person | undefined, models: readonly Model[]): void {
  const expected = models.map((model) => {
    const ids = who === undefined ? [] : visible(model, who);
    return typeof shown === "number" ? ids.length : ids;
  });
  expect(expected, who?.name).toContainEqual(shown);
}

/** Changes the model, and returns the write that does the same. */
function draw(chance: Chance, people: readonly Person[], { owners, withoutRights }: Model): () => Promise<unknown> {
  const { root } = at.world;
  const n = chance.below(2);
  const [who, id] = [pick(people, chance), pick(["", ...owners.keys()], chance)];
  const kind = id === "" ? 0 : chance.below(4);
  const isBy = (one: Person | undefined) => (one && !withoutRights.has(one) && chance.below(2) === 0 ? one : root);
  if (kind === 1) {
    owners.set(id, who);
    return () => send(n, root, "PUT", `/api/measurement/${id}`, { owner: who.id });
  }
  if (kind === 2) {
    const by = isBy(owners.get(id));
    owners.delete(id);
    return () => send(n, by, "DELETE", `/api/measurement/${id}`);
  }
  if (kind === 3) {
    const permissions = withoutRights.delete(who) ? fullPermissions : noPermissions;
    if (permissions === noPermissions) withoutRights.add(who);
    return () => send(n, root, "PUT", `/api/role/${who.roleId}`, { permissions });
  }
  const by = isBy(who);
  return async () => {
    const { _id } = await send(n, by, "POST", "/api/measurement", { name: "Shop", owner: who.id });
    owners.set(String(_id), who);
  };
}

type Lag = { isPaused: boolean };

async function disturb(chance: Chance, lag: Lag): Promise<void> {
  const what = chance.below(12);
  if (what === 0 && !lag.isPaused) {
    await at.pause();
    lag.isPaused = true;
  } else if (what < 3 && lag.isPaused) {
    await at.resume();
    lag.isPaused = false;
  } else if (what === 3 && chance.below(rounds(50, 5)) === 0) {
    await at.postgres.killSecond();
    await at.postgres.startSecond();
    lag.isPaused = false;
  } else return;
  if (lag.isPaused || chance.below(2) === 0) return;
  const before = await at.answered("replica");
  await until("the replica answers", async () => {
    await send(0, at.world.root, "GET", "/api/v2/measurement/stats");
    return (await at.answered("replica")) > before;
  });
}

const timeout = rounds(120_000, 600_000);

test("every read shows all that was committed before it began, whatever the replica does", { timeout }, async () => {
  const chance = createChance(seedOf(21));
  const people: Person[] = [];
  for (const name of ["A", "B", "C"]) people.push(await at.world.account(name, at.world.root, fullPermissions));
  const model: Model = { owners: new Map(), withoutRights: new Set() };
  const lag = { isPaused: false };
  for (let round = 0; round < rounds(50, 600); round += 1) {
    await disturb(chance, lag);
    const before = copyOf(model);
    const write = draw(chance, people, model);
    if (chance.below(3) > 0) {
      await write();
      for (let n = chance.below(3); n >= 0; n -= 1) {
        const { process, who, read } = begin(chance, people);
        await process.ctx.announcements.pull();
        compare(await read(), who, [model]);
      }
      continue;
    }
    const begun = [begin(chance, people), begin(chance, people)];
    for (const { process } of begun) await process.ctx.announcements.pull();
    // A new location has its id only after the write.
    const [, ...shown] = await Promise.all([write(), ...begun.map(({ read }) => read())]);
    for (const [index, answer] of shown.entries()) compare(answer, begun[index]?.who, [before, model]);
  }
  for (const by of ["replica", "primary"] as const) expect(await at.answered(by), by).toBeGreaterThan(5);
});
