// Compares uploads and downloads over HTTP on random account trees with the oracle (FW-04).
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import {
  type AccountNode,
  type Forest,
  mayDo,
  maySeeFirmware,
  mayUseFirmware,
  mayActOnAccount,
} from "@psp/contract/permission/oracle.testing.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plantForest, signInAll, objectIdsOf } from "../testing/rights/account-forest.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world.stop());

const image = new TextEncoder().encode("a firmware");

async function fillPackages(): Promise<void> {
  await sql`delete from firmware_package`.execute(world.ctx.db);
  await sql`insert into firmware_package (id, kept_in, piece_bytes, touched_at)
    select id, 'postgres', 262144, now() from firmware where package_id is null`.execute(world.ctx.db);
  await sql`insert into firmware_chunk (package_id, n, data)
    select id, 0, ${Buffer.from(image)}::bytea from firmware where package_id is null`.execute(world.ctx.db);
  await sql`update firmware set package_id = id, size = ${image.length}, sha256 = ${"0".repeat(64)}, md5 = 'm',
    signature = 's', seq = 1 where package_id is null`.execute(world.ctx.db);
}

type Question = { what: string; code: number; ask: (who: Person) => Promise<number> };

function fetchOf(asker: AccountNode, owner: AccountNode, n: number, childrenCanView: boolean): Question {
  const node = { owner, childrenCanView };
  const may = mayUseFirmware(asker, node) || mayDo(asker, "edit", "artifact", owner);
  const id = objectIdsOf(n)[childrenCanView ? "firmwareForChildren" : "firmware"];
  return {
    what: `fetch ${childrenCanView ? "opened" : "closed"} firmware`,
    code: !maySeeFirmware(asker, node) ? 105 : may ? 0 : 310,
    ask: async (who) => {
      const reply = await world.call(who, "GET", `/api/artifact/${id}/package`);
      if (reply.status === 200) expect(reply.body).toBe("a firmware");
      return reply.status === 200 ? 0 : Number(reply.code);
    },
  };
}

let serial = 0;
function uploadFor(asker: AccountNode, owner: AccountNode): Question {
  const isVisible = !owner.deleted && mayActOnAccount(asker, "view", owner);
  return {
    what: "upload",
    code: !isVisible ? 103 : mayDo(asker, "createFor", "artifact", owner) ? 0 : 303,
    ask: async (who) => {
      const fields = { name: `9.0.${(serial += 1)}`, type: "ZOD", owner: owner.id };
      const reply = await world.upload(who, fields, image);
      return reply.status === 200 ? 0 : Number(reply.code);
    },
  };
}

function* questionsOn(forest: Forest, askers: AccountNode[]): Generator<{ asker: AccountNode; one: Question }> {
  for (const asker of askers) {
    for (const [n, owner] of forest.accounts.entries()) {
      for (const opened of [false, true]) yield { asker, one: fetchOf(asker, owner, n, opened) };
      yield { asker, one: uploadFor(asker, owner) };
    }
  }
}

test("FW-04 T-18 with the flag off, a child neither sees, downloads nor uses the firmware", async () => {
  const parent = await world.account("Parent", world.root, fullPermissions);
  const child = await world.account("Child", parent, {
    ownable: { sensor: { canViewObject: { me: true }, canEditObject: { me: true }, canCreateObjectFor: { me: true } } },
  });
  const made = await world.upload(parent, { type: "APS", name: "1.0.0" }, image);
  const sensor = (
    await world.call(child, "POST", "/api/sensor", { body: { _id: "02:00:00:00:00:77", owner: child.id, type: "APS" } })
  ).id;
  const flag = (on: boolean) =>
    world.call(parent, "PUT", `/api/artifact/${made.id}`, { body: { objPerm: { childrenCanViewObject: on } } });
  const reach = async () => [
    (await world.call(child, "GET", `/api/artifact/${made.id}`)).status,
    (await world.call(child, "GET", `/api/artifact/${made.id}/package`)).status,
    (await world.call(child, "PUT", `/api/sensor/${sensor}`, { body: { artifact: made.id } })).status,
  ];
  expect(await reach()).toEqual([404, 404, 404]);
  await flag(true);
  expect(await reach()).toEqual([200, 200, 200]);
  await flag(false);
  await world.call(child, "PUT", `/api/sensor/${sensor}`, { body: { artifact: "" } });
  expect(await reach()).toEqual([404, 404, 404]);
});

test(
  "FW-04 FW-02 downloads for users and editors, uploads for creators: the oracle agrees on every pair",
  { timeout: 300_000 },
  async () => {
    const met = new Map<string, number>();
    const forests = fc.sample(forestArbitrary({ minAccounts: 40, maxAccounts: 60, maxRoles: 6 }), {
      seed: 11,
      numRuns: 3,
    });
    for (const forest of forests) {
      const planted = await plantForest(world.ctx.db, forest);
      const tokens = await signInAll(world.ctx, planted);
      await fillPackages();
      world.server.sessions.forget();
      const kept: { asker: AccountNode; one: Question }[] = [];
      // Most pairs of account and firmware are unrelated, so a few of each kind per forest are enough.
      const drawn = new Map<string, number>();
      for (const pair of questionsOn(forest, [...tokens.keys()])) {
        const key = `${pair.one.what} ${pair.one.code}`;
        const n = (drawn.get(key) ?? 0) + 1;
        drawn.set(key, n);
        if (n <= 12) kept.push(pair);
      }
      for (const { asker, one } of kept) {
        const who = { ...world.root, id: asker.id, token: tokens.get(asker) ?? "" };
        expect(await one.ask(who), `${one.what} by ${asker.id}`).toBe(one.code);
        met.set(`${one.what} ${one.code}`, (met.get(`${one.what} ${one.code}`) ?? 0) + 1);
      }
    }
    for (const [what, codes] of [
      ["fetch closed firmware", [0, 105, 310]],
      ["fetch opened firmware", [0, 105, 310]],
      ["upload", [0, 103, 303]],
    ] as const)
      for (const code of codes) expect(met.get(`${what} ${code}`) ?? 0, `${what} ${code}`).toBeGreaterThan(5);
  },
);
