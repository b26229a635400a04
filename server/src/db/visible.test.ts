// Compares the scope's SQL, the contract's `contains` and an oracle on random trees: all must select the same rows.
import {
  resolveAssignRoleScope,
  canAssignRole,
  canChangeOwner,
  canDelete,
  canEdit,
  canView,
  resolveChangeOwnerScopes,
  resolveCreateScope,
  canCreateFor,
  resolveDeleteScope,
  resolveEditScope,
  resolveViewScope,
} from "@psp/contract/permission/can.ts";
import { asOwner, forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import { type AccountNode, mayAssignRole, mayDo, mayActOnAccount } from "@psp/contract/permission/oracle.testing.ts";
import { type AccountSet, contains, emptySet, type Owner, resolveScope } from "@psp/contract/permission/scope.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../kit/caller.ts";
import { type Planted, plantForest, objectIdsOf } from "../testing/rights/account-forest.ts";
import { openTestDatabase } from "../testing/test-database.ts";
import type { Database } from "./database.ts";
import { coversEverything, whereOwnerIn } from "./visible.ts";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { forEachAtOnce } from "../testing/at-once.ts";

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => void ({ db, close } = await openTestDatabase(3)));
afterAll(() => close());

type Table = "sensor" | "location" | "role" | "init_token" | "account";

/** The same right as an account set for SQL, as a rule of the contract (`memory`), and as a rule of the oracle. */
type Question = {
  name: string;
  table: Table;
  set: (caller: Caller) => AccountSet;
  memory: (caller: Caller, owner: Owner) => boolean;
  oracle: (asker: AccountNode, owner: AccountNode) => boolean;
};

const questions: Question[] = [
  {
    name: "view sensors",
    table: "sensor",
    set: (caller) => resolveViewScope(caller, "sensor"),
    memory: (caller, owner) => canView(caller, "sensor", owner),
    oracle: (asker, owner) => mayDo(asker, "view", "sensor", owner),
  },
  {
    name: "edit init tokens, which count as sensors",
    table: "init_token",
    set: (caller) => resolveEditScope(caller, "sensor"),
    memory: (caller, owner) => canEdit(caller, "sensor", owner),
    oracle: (asker, owner) => mayDo(asker, "edit", "sensor", owner),
  },
  {
    name: "view locations",
    table: "location",
    set: (caller) => resolveViewScope(caller, "measurement"),
    memory: (caller, owner) => canView(caller, "measurement", owner),
    oracle: (asker, owner) => mayDo(asker, "view", "measurement", owner),
  },
  {
    name: "delete locations",
    table: "location",
    set: (caller) => resolveDeleteScope(caller, "measurement"),
    memory: (caller, owner) => canDelete(caller, "measurement", owner),
    oracle: (asker, owner) => mayDo(asker, "delete", "measurement", owner),
  },
  {
    name: "view roles",
    table: "role",
    set: (caller) => resolveViewScope(caller, "role"),
    memory: (caller, owner) => canView(caller, "role", owner),
    oracle: (asker, owner) => mayDo(asker, "view", "role", owner),
  },
  {
    name: "change the owner of roles from",
    table: "role",
    set: (caller) => resolveChangeOwnerScopes(caller, "role").from,
    memory: (caller, owner) => contains(resolveChangeOwnerScopes(caller, "role").from, owner),
    oracle: (asker, owner) => mayDo(asker, "changeOwnerFrom", "role", owner),
  },
  {
    name: "view accounts",
    table: "account",
    set: (caller) => resolveViewScope(caller, "owner"),
    memory: (caller, owner) => canView(caller, "owner", owner),
    oracle: (asker, owner) => mayActOnAccount(asker, "view", owner),
  },
  {
    name: "edit accounts",
    table: "account",
    set: (caller) => resolveEditScope(caller, "owner"),
    memory: (caller, owner) => canEdit(caller, "owner", owner),
    oracle: (asker, owner) => mayActOnAccount(asker, "edit", owner),
  },
  {
    name: "accounts that may get a sensor",
    table: "account",
    set: (caller) => resolveCreateScope(caller, "sensor"),
    memory: (caller, owner) => canCreateFor(caller, "sensor", owner),
    oracle: (asker, owner) => mayDo(asker, "createFor", "sensor", owner),
  },
  {
    name: "accounts that may be given a role",
    table: "account",
    set: resolveAssignRoleScope,
    memory: canAssignRole,
    oracle: mayAssignRole,
  },
];

async function selected(table: Table, set: AccountSet, caller: Caller): Promise<string[]> {
  const columns = table === "account" ? { id: "t.id", path: "t.path" } : { id: "t.owner_id", path: "t.owner_path" };
  const { rows } = await sql<{ id: string }>`
    select t.id from ${sql.table(table)} as t where ${whereOwnerIn(set, caller, columns)}`.execute(db);
  return rows.map((row) => row.id).toSorted();
}

function idOf(table: Table, n: number, node: AccountNode): string {
  const things = objectIdsOf(n);
  if (table === "account") return node.id;
  return table === "init_token" ? things.initToken : things[table];
}

function sampleForest(seed: number) {
  const [forest] = fc.sample(forestArbitrary({ minAccounts: 60, maxAccounts: 110, maxRoles: 8 }), { seed, numRuns: 1 });
  if (forest === undefined) throw new Error("no sample");
  return forest;
}

test(
  "PE-01 SQL, memory and the oracle select the same rows for every account of random trees",
  { timeout: 300_000 },
  async () => {
    const tally = new Map(questions.map(({ name }) => [name, { in: 0, out: 0 }]));
    let cases = 0;
    let deepest = 0;
    for (let seed = 1; seed <= rounds(3, 10); seed += 1) {
      const forest = sampleForest(seed);
      const planted = await plantForest(db, forest);
      const owners = forest.accounts.map(asOwner);
      // The forest's eight roles are in the role table and belong to root.
      const held = forest.roles.map((role) => role.id);
      for (const { node, caller } of planted) {
        deepest = Math.max(deepest, caller.parentAccounts.length);
        const answers = await Promise.all(
          questions.map(async (question) => {
            const rows = await selected(question.table, question.set(caller), caller);
            return rows.filter((id) => !held.includes(id));
          }),
        );
        for (const [q, { name, table, memory, oracle }] of questions.entries()) {
          const pick = (allowed: (n: number) => boolean) =>
            forest.accounts.flatMap((owner, n) => (allowed(n) ? [idOf(table, n, owner)] : [])).toSorted();
          const byOracle = pick((n) => oracle(node, forest.accounts[n] ?? node));
          const label = `${name}, asked by ${node.id}, seed ${seed}`;
          expect(
            pick((n) => memory(caller, owners[n] ?? asOwner(node))),
            `memory: ${label}`,
          ).toEqual(byOracle);
          expect(answers[q], `SQL: ${label}`).toEqual(byOracle);
          const count = tally.get(name) ?? { in: 0, out: 0 };
          count.in += byOracle.length;
          count.out += owners.length - byOracle.length;
          cases += owners.length;
        }
      }
    }
    expect(cases).toBeGreaterThan(rounds(30_000, 100_000));
    expect(deepest).toBeGreaterThan(12);
    for (const [name, count] of tally) {
      expect(count.in, `${name}: inside`).toBeGreaterThan(rounds(150, 1000));
      expect(count.out, `${name}: outside`).toBeGreaterThan(rounds(150, 1000));
    }
  },
);

test(
  "PE-01 every scope of every account selects the same rows in SQL, memory and the oracle",
  { timeout: 300_000 },
  async () => {
    const forest = sampleForest(77);
    const planted = await plantForest(db, forest);
    const owners = forest.accounts.map(asOwner);
    const levels = [undefined, 0, 1, 2, 6, 100];
    const role = forest.roles[0]?.id ?? "";
    const scopes = [false, true].flatMap((me) =>
      [false, true].flatMap((myChildren) =>
        levels.flatMap((level) =>
          [[], [role]].map((roles) => ({
            me,
            myChildren,
            roles,
            ...(level === undefined ? {} : { relativeAncestorLevel: level }),
          })),
        ),
      ),
    );
    const sample: Planted[] = planted.filter(
      ({ caller }, n) =>
        n === 0 || n % rounds(81, 9) === 4 || (caller.parentAccounts.length > 10 && n % rounds(3, 1) === 0),
    );
    for (const { caller } of sample) {
      await forEachAtOnce(scopes, async (scope) => {
        const set = resolveScope(caller, scope);
        const byMemory = owners.flatMap((owner, n) => (contains(set, owner) ? [objectIdsOf(n).sensor] : [])).toSorted();
        expect(await selected("sensor", set, caller), `${JSON.stringify(scope)} of ${caller.id}`).toEqual(byMemory);
      });
    }
    for (const { caller } of sample) {
      const { from, to } = resolveChangeOwnerScopes(caller, "measurement");
      const [away, towards] = await Promise.all([selected("account", from, caller), selected("account", to, caller)]);
      const differ = owners.flatMap((one) =>
        owners.filter(
          (other) =>
            canChangeOwner(caller, "measurement", one, other) !== (away.includes(one.id) && towards.includes(other.id)),
        ),
      );
      expect(differ, `changes of owner by ${caller.id}`).toEqual([]);
    }
  },
);

test("PE-01 an empty set selects nothing, and only root's full set selects all", async () => {
  const forest = sampleForest(5);
  const planted = await plantForest(db, forest);
  for (const { caller, node } of planted) {
    expect(await selected("account", emptySet, caller)).toEqual([]);
    const full = resolveScope(caller, { me: true, myChildren: true });
    expect(coversEverything(full, caller)).toBe(node.parent === null);
    expect(coversEverything(resolveScope(caller, { myChildren: true }), caller)).toBe(false);
    expect(coversEverything(resolveScope(caller, { me: true }), caller)).toBe(false);
  }
  const root = planted[0]?.caller as Caller;
  expect((await selected("account", resolveScope(root, { me: true, myChildren: true }), root)).length).toBe(
    planted.length,
  );
  expect((await selected("account", resolveScope(root, { myChildren: true }), root)).length).toBe(planted.length - 1);
});
