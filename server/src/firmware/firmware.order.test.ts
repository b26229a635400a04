// Checks that sequence numbers of firmware rise with the version, and that no account can use up another account's (ADR 0018).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import semver from "semver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Chance, createChance, pick } from "../testing/chance.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { findInstallableFirmware } from "./manifest.service.ts";
import { everyNth, rounds } from "@psp/contract/kit/rounds.testing.ts";

const image = new TextEncoder().encode("fw!");
let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world.stop());

const account = (name: string, parent = world.root) => world.account(name, parent, fullPermissions);
const upload = (owner: Person, name: string) => world.upload(owner, { type: "APS", name }, image);

async function seqOf(id: string): Promise<number> {
  const found = (await findInstallableFirmware(world.ctx, world.ctx.db, [id])).get(id);
  if (!found) throw new Error(`${id} is not installable`);
  return found.seq;
}
async function uploaded(owner: Person, name: string): Promise<number> {
  const reply = await upload(owner, name);
  expect([reply.status, reply.code], name).toEqual([200, undefined]);
  return seqOf(reply.id);
}

/** Pre-releases of a version. Each is lower than the one before, but after 26 they start again at `z` with one hyphen fewer. */
const falling = (core: string, count: number) =>
  Array.from(
    { length: count },
    (_, n) => `${core}-a.${String.fromCharCode(122 - (n % 26))}${"-".repeat(25 - Math.floor(n / 26))}`,
  );

test("FW-02 T-18 43 uploads take no numbers from accounts above, beside or below", { tags: "prove" }, async () => {
  const maker = await account("Maker");
  const customer = await account("Customer", maker);
  const [neighbor, below] = [await account("Neighbor", maker), await account("Below", customer)];
  await uploaded(maker, "1.0.0");
  for (const name of ["1.0.1000", ...falling("1.0.1000", 42)]) {
    const { status, code } = await upload(customer, name);
    expect([status, code], name).toEqual([400, 102]);
  }
  const statuses: number[] = [];
  for (const name of ["1.0.1-b", ...falling("1.0.1", 42)]) statuses.push((await upload(customer, name)).status);
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
  for (const owner of [maker, neighbor]) {
    const [rc, release, next] = [
      await uploaded(owner, "1.0.1-a.a"),
      await uploaded(owner, "1.0.1"),
      await uploaded(owner, "1.0.2-rc.1"),
    ];
    expect(rc).toBeLessThan(release);
    expect(release).toBeLessThan(next);
  }
  await uploaded(below, "1.0.1");
  await uploaded(below, "1.0.2-rc.1");
});

test("FW-02 a version number above 999 is refused with 102, new or renamed; 999 is accepted", async () => {
  const owner = await account("Large numbers");
  const { id } = await upload(owner, "999.999.999");
  for (const name of [
    "1000.0.0",
    "0.1000.0",
    "0.0.1000",
    "1.2.1000-rc.1",
    "2026.11.20",
    `1.${"9".repeat(60)}.0`,
    "1.0.9999+b",
  ]) {
    for (const who of [owner, world.root]) {
      const reply = await upload(who, name);
      expect([reply.status, reply.code, reply.at("details.field")], name).toEqual([400, 102, "name"]);
    }
    const renamed = await world.call(owner, "PUT", `/api/artifact/${id}`, { body: { name } });
    expect([renamed.status, renamed.code], name).toEqual([400, 102]);
  }
  expect(await uploaded(owner, "999.999.999-rc.1000")).toBeLessThan(await seqOf(id));
});

test("FW-02 a pre-release without a free number is refused with a reason, by upload and by name", async () => {
  const owner = await account("Narrow");
  const names = ["2.0.0-b", ...falling("2.0.0", 42)];
  let refused = "";
  for (const name of names) {
    const reply = await upload(owner, name);
    if (reply.status === 200) continue;
    refused = name;
    expect([reply.status, reply.code, reply.at("details.field")]).toEqual([400, 102, "name"]);
    expect(String(reply.at("details.reason"))).toContain("There is no room for another version");
    break;
  }
  expect(refused).not.toBe("");
  const other = await upload(owner, "2.0.1-a");
  const rename = await world.call(owner, "PUT", `/api/artifact/${other.id}`, { body: { name: refused } });
  expect([rename.status, rename.code]).toEqual([400, 102]);
  await uploaded(await account("Wide"), refused);
});

test("FW-02 a firmware that changes owner is numbered among the new owner's", async () => {
  const [giver, taker] = [await account("Giver"), await account("Taker")];
  const alpha = await uploaded(taker, "3.0.0-alpha");
  const rc = await uploaded(taker, "3.0.0-rc.1");
  const { id } = await upload(giver, "3.0.0-beta");
  expect(await seqOf(id)).toBe(alpha);
  await world.call(world.root, "PUT", `/api/artifact/${id}`, { body: { owner: taker.id } });
  const beta = await seqOf(id);
  expect([alpha < beta, beta < rc]).toEqual([true, true]);
});

const identifiers = ["alpha", "beta", "rc", "a", "z", "0", "1", "2", "10", "x-1", "alpha1"];
/** Releases, and many pre-releases of the same releases. Some versions have build metadata, and some are out of range. */
function anyVersion(chance: Chance): string {
  const core = ["1.0.0", "1.0.1", "1.2.0", "9.9.9"][chance.below(4)] ?? "";
  const kind = chance.below(10);
  if (kind === 0) return `1.${1000 + chance.below(3)}.0`;
  if (kind < 3) return core;
  const parts = Array.from({ length: 1 + chance.below(3) }, () => pick(identifiers, chance));
  return `${core}-${parts.join(".")}${kind === 9 ? "+build" : ""}`;
}

const parents = [0, 0, 1, 1, 2];
const lineOf = (n: number): number[] => (n === 0 ? [0] : [...lineOf(parents[n - 1] ?? 0), n]);

test.each(everyNth(3, [1, 2, 3]))(
  "FW-02 T-18 other accounts' uploads do not change an account's numbers (seed %i)",
  async (seed) => {
    const chance = createChance(seed);
    const orders = Array.from({ length: rounds(12, 150) }, (_, n) => ({
      n,
      by: chance.below(parents.length + 1),
      name: anyVersion(chance),
    }));
    /** Runs the uploads of some accounts in a separate account tree. */
    const run = async (among: readonly number[]) => {
      const people = [await account(`Maker ${seed}`)];
      for (const above of parents) people.push(await account(`Below ${seed}`, people[above]));
      const outcomes = new Map<number, { status: number; code: unknown; seq: number | null }>();
      for (const { n, by, name } of orders) {
        const owner = people[by];
        if (!owner || !among.includes(by)) continue;
        const reply = await upload(owner, name);
        const seq = reply.status === 200 ? await seqOf(reply.id) : null;
        outcomes.set(n, { status: reply.status, code: reply.code, seq });
      }
      return outcomes;
    };
    const together = await run([0, 1, 2, 3, 4, 5]);
    for (const { n, name, by } of orders) {
      const isTwice = orders.some((earlier) => earlier.n < n && earlier.by === by && earlier.name === name);
      const expected = /^1\.1\d{3}/.test(name) ? 102 : isTwice ? 109 : undefined;
      expect(together.get(n)?.code, `${name} of ${by}`).toBe(expected);
    }
    // The sequence numbers of one account follow the version order, whatever the upload order.
    const made = orders.flatMap((order) => {
      const seq = together.get(order.n)?.seq ?? null;
      return seq === null ? [] : [{ ...order, seq }];
    });
    for (const one of made)
      for (const other of made.filter(({ by }) => by === one.by))
        expect(Math.sign(one.seq - other.seq), `${one.name} ${other.name}`).toBe(semver.compare(one.name, other.name));
    for (const n of [0, 3, 5])
      for (const [order, outcome] of await run(lineOf(n)))
        expect(together.get(order), `order ${order}`).toEqual(outcome);
  },
);

test.each(everyNth(2, [4, 5]))(
  "FW-02 the maker's uploads are in order with those of accounts below (seed %i)",
  async (seed) => {
    const chance = createChance(seed);
    const maker = await account(`First ${seed}`);
    const dealer = await account(`Second ${seed}`, maker);
    const customer = await account(`Third ${seed}`, dealer);
    const made: { name: string; seq: number }[] = [];
    for (const owner of [maker, dealer, customer]) {
      for (let n = 0; n < rounds(14, 25); n += 1) {
        const name = anyVersion(chance);
        const reply = await upload(owner, name);
        if (reply.status === 200) made.push({ name, seq: await seqOf(reply.id) });
      }
    }
    expect(made.length).toBeGreaterThan(rounds(22, 40));
    for (const one of made)
      for (const other of made)
        expect(Math.sign(one.seq - other.seq), `${one.name} ${other.name}`).toBe(semver.compare(one.name, other.name));
  },
);
