// Checks that a feed contains the coaches that the account could list with its current role.
import type { FeedMessage } from "@psp/contract/feed/feed.api.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import type { Scope } from "@psp/contract/permission/scope.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFeedScene, type FeedScene, groupValues } from "../testing/scenes/feed-scene.ts";
import type { Person } from "../testing/world.ts";

let scene: FeedScene;
let last = 0x1000;
beforeAll(async () => void (scene = await createFeedScene()));
afterAll(() => scene.stop());

async function parked(owner: Person): Promise<string> {
  const { world } = scene;
  last += 1;
  const _id = toMac(0x0200_0001_0000 + last);
  const reply = await world.call(owner, "POST", "/api/sensor", { body: { _id, owner: owner.id, type: "ZOD" } });
  expect(reply.status).toBe(200);
  const { num } = await world.ctx.db.selectFrom("sensor").select("num").where("id", "=", _id).executeTakeFirstOrThrow();
  const answer = JSON.stringify({ rev: 1, values: groupValues({ vehicleId: _id }) });
  await world.ctx.db
    .insertInto("sensor_section")
    .values({ sensor_num: num, section: "group", answer, read_at: world.ctx.clock.date() })
    .execute();
  return _id;
}

async function allow({ roleId }: Person, permissions: Permissions): Promise<void> {
  const reply = await scene.world.call(scene.world.root, "PUT", `/api/role/${roleId}`, { body: { permissions } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
}
const viewing = (canViewObject?: Scope): Permissions =>
  canViewObject === undefined ? {} : { ownable: { sensor: { canViewObject } } };

async function fedNow(url: string): Promise<string[]> {
  scene.pass(10_000);
  const reply = await fetch(`${url}&format=json`);
  expect(reply.status).toBe(200);
  return ((await reply.json()) as FeedMessage).entity.map(({ id }) => id);
}

test("the current role decides which coaches are in the feed", async () => {
  const { world, company, feedUrl } = scene;
  const above = await company();
  const owner = await world.account("Line", above, fullPermissions);
  const [branch, other] = [
    await world.account("Branch", owner, fullPermissions),
    await world.account("Depot", owner, fullPermissions),
  ];
  const url = await feedUrl(owner);
  await parked(above);
  const [own, ofBranch, ofOther] = [await parked(owner), await parked(branch), await parked(other)];
  const roles = [branch.roleId ?? ""];
  for (const [scope, expected] of [
    [{ me: true, myChildren: true }, [own, ofBranch, ofOther]],
    [{ me: true }, [own]],
    [{ myChildren: true }, [ofBranch, ofOther]],
    [{ roles }, [ofBranch]],
    [{ me: true, roles }, [own, ofBranch]],
    [{ me: true, relativeAncestorLevel: 1 }, [own]],
    [{}, []],
    [undefined, []],
    [{ me: true, myChildren: true }, [own, ofBranch, ofOther]],
  ] satisfies [Scope | undefined, string[]][]) {
    await allow(owner, viewing(scope));
    expect(await fedNow(url), JSON.stringify(scope)).toEqual(expected);
  }
  await world.ctx.db.updateTable("role").set({ is_deleted: true }).where("id", "=", owner.roleId).execute();
  expect(await fedNow(url)).toEqual([]);
});

test("the feed has the coaches that the account lists of itself and below", async () => {
  const { world, company, feedUrl } = scene;
  const above = await company();
  const owner = await world.account("Line", above, fullPermissions);
  const url = await feedUrl(owner);
  const below: Person[] = [];
  for (let n = 0; n < 4; n += 1) below.push(await world.account("Branch", below[n - 2] ?? owner, fullPermissions));
  const stranger = await company();
  for (const one of [above, stranger, owner, owner, ...below]) await parked(one);
  const ids = new Set([owner, ...below].map(({ id }) => id));
  const roles = [above, stranger, ...below].map(({ roleId }) => roleId ?? "");
  const scopes = fc.record({
    me: fc.boolean(),
    myChildren: fc.boolean(),
    roles: fc.subarray(roles, { maxLength: 3 }),
    relativeAncestorLevel: fc.nat({ max: 3 }),
  });
  for (const scope of fc.sample(scopes, { seed: 79, numRuns: 40 })) {
    await allow(owner, viewing(scope));
    const { list } = await world.call(owner, "GET", "/api/v2/sensor?sensorType=ZOD&limit=500");
    const listed = list.filter((sensor) => ids.has((sensor["owner"] as { _id: string })._id));
    expect(await fedNow(url), JSON.stringify(scope)).toEqual(listed.map(({ _id }) => String(_id)).toSorted());
  }
});

test("a change of rights takes effect after ten seconds", async () => {
  const { company, feedUrl, pass } = scene;
  const owner = await company();
  const url = await feedUrl(owner);
  const own = await parked(owner);
  expect(await fedNow(url)).toEqual([own]);
  await allow(owner, viewing());
  pass(9_999);
  const kept = (await (await fetch(`${url}&format=json`)).json()) as FeedMessage;
  expect(kept.entity).toHaveLength(1);
  pass(1);
  const fresh = (await (await fetch(`${url}&format=json`)).json()) as FeedMessage;
  expect(fresh.entity).toEqual([]);
});

test("without the right to edit the account one can still revoke its URL", async () => {
  const { world, company, feedUrl } = scene;
  const owner = await company();
  const url = await feedUrl(owner);
  await allow(owner, { owner: { canViewOwner: { me: true } } });
  expect(await world.call(owner, "POST", "/api/auth/feed-token")).toMatchObject({ status: 403, code: 305 });
  expect((await fetch(url)).status).toBe(200);
  const ended = await world.call(owner, "DELETE", "/api/auth/feed-token");
  expect(ended).toMatchObject({ status: 200, body: { createdAt: null } });
  expect((await fetch(url)).status).toBe(401);
});
