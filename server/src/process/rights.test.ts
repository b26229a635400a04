// Compares the permissions of HTTP calls with the oracle on random trees: to view, edit, delete, hand over, create for, and assign.
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import type { AccountNode, PermissionsDoc } from "@psp/contract/permission/oracle.testing.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forEachAtOnce } from "../testing/at-once.ts";
import { createChance } from "../testing/chance.ts";
import { listsOf, rightsCases } from "../testing/rights/rights-cases.ts";
import { codeOf, type Place, setUpPlace, undoWrite } from "../testing/rights/rights-place.ts";
import type { RandomCase, RightsCase } from "../testing/rights/rights-things.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { allObjectRights } from "@psp/contract/permission/permissions.ts";
import { createStillClock, captureSnapshot } from "../testing/snapshot.ts";
import { createWorld, type World } from "../testing/world.ts";

/** The seeds were chosen so that five trees cover every relevant refusal. */
const forests = rounds(5, 60);
const casesPerForest = 160;
const listedForests = rounds(3, 12);

let world: World;
beforeAll(async () => void (world = await createWorld({ clock: createStillClock() })));
afterAll(() => world.stop());

/**
 * Draws one case of the matrix. In most random cases, the object is not visible (105). Therefore a third of the cases is drawn again,
 * up to thirty times, until the call should succeed, and a third until it should be refused for another reason.
 */
function drawCase(place: Place, serial: number, below: (n: number) => number): { one: RightsCase; draw: RandomCase } {
  const { accounts, roles } = place.forest;
  const name = names[below(names.length)] ?? "";
  for (let tries = 1; ; tries += 1) {
    const asker = place.askers[below(place.askers.length)] as AccountNode;
    const role = roles[below(roles.length)] as RandomCase["role"];
    const draw = { asker, n: below(accounts.length), m: below(accounts.length), role, serial };
    const one = rightsCases[name]?.(place.forest, draw);
    if (!one) throw new Error(name);
    const wanted = serial % 3 === 0 ? one.code === 0 : serial % 3 === 1 ? one.code !== 0 && one.code !== 105 : true;
    if (wanted || tries === 30) return { one, draw };
  }
}
const names = Object.keys(rightsCases);

const wide = { me: true, myChildren: true, relativeAncestorLevel: 2 };
const every = allObjectRights(wide);
/** Roles with nearly all rights. Each narrows different rights, so that no right can replace another. */
const strongOnes: PermissionsDoc[] = [
  {
    other: { canAssignRoles: wide, canAssignSensors: { me: true }, canUseArtifact: { me: true } },
    ownable: { artifact: every, measurement: every, role: every, sensor: every },
    owner: { canCreateOwner: true, canViewOwner: wide, canEditOwner: wide, canDeleteOwner: wide },
  },
  {
    other: { canAssignRoles: { me: true }, canAssignSensors: wide, canUseArtifact: wide },
    ownable: {
      artifact: every,
      measurement: { ...every, canDeleteObject: { me: true }, canChangeOwner: { from: { me: true }, to: wide } },
      role: { ...every, canEditObject: { myChildren: true }, canCreateObjectFor: { me: true } },
      sensor: { ...every, canChangeOwner: { from: wide, to: { me: true } } },
    },
    owner: { canCreateOwner: true, canViewOwner: wide, canEditOwner: wide, canDeleteOwner: { me: true } },
  },
];
/** A role that strong ones can give to sub-accounts. */
const weakOne: PermissionsDoc = {
  ownable: { sensor: { canViewObject: { me: true, myChildren: true, relativeAncestorLevel: 1 } } },
};
/** Refusals that must occur for each kind of call, because their checks are easily forgotten. */
const telling: [string, number][] = [
  ...[103, 105, 301, 302, 305].map((code): [string, number] => ["hand over sensor", code]),
  ...[103, 105, 302, 305].map((code): [string, number] => ["hand over location", code]),
  ...[105, 301, 305].map((code): [string, number] => ["put sensor at location", code]),
  ...[105, 305, 309].map((code): [string, number] => ["give sensor a firmware", code]),
  ...[105, 107, 300, 305].map((code): [string, number] => ["assign role", code]),
  ...[107, 300, 303].map((code): [string, number] => ["create account", code]),
  ...[103, 303].map((code): [string, number] => ["create initToken for", code]),
];

/** Returns the actor as the console gets it from the session call. */
async function actorOf(place: Place, node: AccountNode): Promise<Actor> {
  const { body } = await world.call(place.as(node), "GET", "/api/auth/user");
  const user = body as { _id: string; parentAccounts: string[]; permissions: Actor["permissions"] };
  return {
    id: user._id,
    parentAccounts: user.parentAccounts,
    roleId: node.role?.id ?? null,
    permissions: user.permissions,
  };
}

test(
  "PE-01 PE-04 every right over HTTP matches the oracle and the console's rule",
  { timeout: rounds(300_000, 1_200_000) },
  async () => {
    const { below } = createChance(seedOf(9));
    const seen = new Map<string, { yes: number; no: number }>();
    const codes = new Set<number>();
    const pairs = new Set<string>();
    const sample = fc.sample(forestArbitrary({ minAccounts: 9, maxAccounts: 14, maxRoles: 5 }), {
      seed: seedOf(13),
      numRuns: forests,
    });
    let consoleAsked = 0;
    for (const [index, forest] of sample.entries()) {
      // Cases that need many rights are rare, so two of three trees have a second strong role.
      if (index % 3 > 0 && forest.roles[1])
        Object.assign(forest.roles[1], { permissions: strongOnes[(index % 3) - 1], deleted: false });
      // Random roles nearly always reach more than the giver.
      if (index % 3 > 0 && forest.roles[2]) Object.assign(forest.roles[2], { permissions: weakOne, deleted: false });
      const place = await setUpPlace(world, forest);
      const actors = new Map<AccountNode, Actor>();
      const ask = async ({ one, draw: { asker } }: ReturnType<typeof drawCase>) => {
        const reply = await world.call(place.as(asker), one.method, one.path, one.body ? { body: one.body } : {});
        const summary = `${one.question}: ${one.method} ${one.path} ${JSON.stringify(one.body)} by ${asker.id} ${JSON.stringify(asker.role)} → ${reply.status} ${JSON.stringify(reply.body).slice(0, 300)}`;
        expect(codeOf(reply), summary).toBe(one.code);
        codes.add(one.code);
        pairs.add(`${one.question} ${one.code}`);
        const count = seen.get(one.question) ?? { yes: 0, no: 0 };
        seen.set(one.question, count);
        count[one.code === 0 ? "yes" : "no"] += 1;
        if (one.console) {
          expect(one.console(actors.get(asker) as Actor), `the console about ${summary}`).toBe(reply.status < 400);
          consoleAsked += 1;
        }
        return reply;
      };
      const cases = Array.from({ length: casesPerForest }, (_, n) => drawCase(place, n, below));
      // Makes all refused calls first, so that one comparison of the database is enough.
      const { yes = [], no = [] } = Object.groupBy(cases, ({ one }) => (one.code === 0 ? "yes" : "no"));
      const before = await captureSnapshot(world.ctx.db);
      for (const [asker] of Map.groupBy(cases, ({ draw }) => draw.asker))
        actors.set(asker, await actorOf(place, asker));
      await forEachAtOnce(no, async (each) => void (await ask(each)));
      expect(await captureSnapshot(world.ctx.db), "what refused calls wrote").toEqual(before);
      for (const each of yes) {
        const reply = await ask(each);
        if (each.one.method !== "GET") await undoWrite(world, place, each.one, reply, each.draw.n);
      }
    }
    for (const [question, { yes, no }] of seen) {
      expect(yes, `never allowed: ${question}`).toBeGreaterThan(0);
      expect(no, `never refused: ${question}`).toBeGreaterThan(0);
    }
    expect(telling.filter(([question, code]) => !pairs.has(`${question} ${code}`))).toEqual([]);
    expect(seen.size).toBeGreaterThanOrEqual(names.length - 1);
    expect([...codes].toSorted((a, b) => a - b)).toEqual([
      0, 103, 105, 107, 109, 300, 301, 302, 303, 304, 305, 306, 309,
    ]);
    expect(consoleAsked).toBeGreaterThan(forests * casesPerForest * 0.8);
  },
);

test("PE-01 every list and its total match the oracle", { timeout: rounds(300_000, 1_200_000) }, async () => {
  let shown = 0;
  for (const forest of fc.sample(forestArbitrary({ minAccounts: 9, maxAccounts: 14, maxRoles: 5 }), {
    seed: seedOf(8),
    numRuns: listedForests,
  })) {
    const place = await setUpPlace(world, forest);
    for (const asker of place.askers) {
      for (const { path, ids } of listsOf(forest, asker)) {
        const reply = await world.call(place.as(asker), "GET", `${path}?limit=500&includeTotals=true`);
        const summary = `${path} for ${asker.id} ${JSON.stringify(asker.role)}`;
        expect(reply.list.map((row) => String(row["_id"])).toSorted(), summary).toEqual(ids.toSorted());
        expect(reply.at("total"), summary).toBe(ids.length);
        shown += ids.length;
      }
    }
  }
  expect(shown).toBeGreaterThan(40 * listedForests);
});
