// Tests roles over HTTP: no one gives, edits or keeps more rights than they may (RO-04, T-05). Also tests how changes affect holders.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import type { Scope } from "@psp/contract/permission/scope.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { lockRights } from "../db/locks.ts";
import { until } from "../testing/devices/device-world.ts";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";

const all: Scope = { me: true, myChildren: true };
let world: World;
let admin: Person;

beforeAll(async () => {
  world = await createWorld();
  admin = await world.account("Admin", world.root, fullPermissions);
});
afterAll(() => world.stop());

const call = (who: Person, method: string, path: string, body?: object, headers?: Record<string, string>) =>
  world.call(who, method, path, { ...(body ? { body } : {}), ...(headers ? { headers } : {}) });
let counter = 0;
const create = (who: Person, permissions: Permissions | undefined, owner = who, name = `Role ${(counter += 1)}`) =>
  call(who, "POST", "/api/role", { name, owner: owner.id, ...(permissions ? { permissions } : {}) });
const update = (who: Person, id: string, body: object) => call(who, "PUT", `/api/role/${id}`, body);
const outcome = (reply: Reply) => [reply.status, reply.code];

describe("creation", () => {
  test("an empty set shows the holder the own account and no more", async () => {
    const reply = await create(admin, undefined);
    expect(reply.body).toMatchObject({
      owner: { _id: admin.id, name: "Admin", isDeleted: false },
      permissions: { owner: { canViewOwner: { me: true } } },
      isDeleted: false,
      version: 1,
    });
    expect((await call(admin, "GET", `/api/role/${reply.id}`)).body).toEqual(reply.body);
    expect((await world.trail(reply.id)).map(({ action }) => action)).toEqual(["create"]);
  });

  test.each([
    ["no name", { name: undefined }, 108],
    ["an empty name", { name: " " }, 108],
    ["brackets", { name: "[x]" }, 400],
    ["no owner", { owner: undefined }, 104],
    ["an owner that is no id", { owner: "me" }, 103],
    ["an unknown owner", { owner: "01890000-0000-7000-8000-000000000000" }, 103],
    ["a scope as text", { permissions: { owner: { canViewOwner: "all" } } }, 402],
    ["a level of 101", { permissions: { owner: { canViewOwner: { relativeAncestorLevel: 101 } } } }, 102],
    ["a level of -1", { permissions: { owner: { canViewOwner: { relativeAncestorLevel: -1 } } } }, 102],
    ["half a level", { permissions: { owner: { canViewOwner: { relativeAncestorLevel: 0.5 } } } }, 102],
    ["an unknown right", { permissions: { owner: { canRule: { me: true } } } }, 402],
    ["an unknown type", { permissions: { ownable: { account: {} } } }, 402],
    [
      "a role in a scope that does not exist",
      { permissions: { owner: { canViewOwner: { roles: ["01890000-0000-7000-8000-000000000000"] } } } },
      107,
    ],
    ["a version of its own", { version: 9 }, 402],
  ])("%s is refused", async (_, change, code) => {
    const before = await world.ctx.db.selectFrom("role").selectAll().orderBy("id").execute();
    expect((await call(admin, "POST", "/api/role", { name: "New", owner: admin.id, ...change })).code).toBe(code);
    expect(await world.ctx.db.selectFrom("role").selectAll().orderBy("id").execute()).toEqual(before);
  });

  test("103, then 303: the owner must be visible, and one to create for", async () => {
    const stranger = await world.account("Stranger", world.root, fullPermissions);
    expect(outcome(await create(admin, {}, stranger))).toEqual([400, 103]);
    const looker = await world.account("Looker", admin, { owner: { canViewOwner: all } });
    expect(outcome(await create(looker, {}, looker))).toEqual([403, 303]);
  });

  test("109: names are unique per owner in any case; a deletion frees them", async () => {
    const child = await world.account("Namesake", admin, null);
    const first = await create(admin, {}, admin, "Guard");
    expect(outcome(await create(admin, {}, admin, "GUARD"))).toEqual([409, 109]);
    expect((await create(admin, {}, child, "Guard")).status).toBe(200);
    const second = await create(admin, {}, admin, "Porter");
    expect(outcome(await update(admin, second.id, { name: "guard" }))).toEqual([409, 109]);
    await call(admin, "DELETE", `/api/role/${first.id}`);
    expect((await update(admin, second.id, { name: "guard" })).at("name")).toBe("guard");
  });
});

/** The editor's scope, the role's scope before, the wanted scope, and whether that is allowed. */
const table: [own: Scope | undefined, before: Scope | undefined, wanted: Scope | undefined, allowed: boolean][] = [
  [undefined, undefined, undefined, true],
  [undefined, undefined, {}, true],
  [undefined, undefined, { me: false, myChildren: false, roles: [], relativeAncestorLevel: 0 }, true],
  [undefined, undefined, { me: true }, false],
  [{ me: true }, undefined, { me: true }, true],
  [{ me: true }, undefined, { me: true, myChildren: true }, false],
  [{ myChildren: true }, undefined, { me: true }, false],
  [{ me: true }, undefined, { relativeAncestorLevel: 1 }, false],
  [{ myChildren: true }, undefined, { relativeAncestorLevel: 1 }, false],
  [all, undefined, { relativeAncestorLevel: 1 }, true],
  [all, undefined, { relativeAncestorLevel: 100 }, true],
  [{ relativeAncestorLevel: 2 }, undefined, { relativeAncestorLevel: 2 }, true],
  [{ relativeAncestorLevel: 2 }, undefined, { relativeAncestorLevel: 3 }, false],
  [{ me: true }, { myChildren: true }, { me: true, myChildren: true }, true],
  [{ me: true }, { relativeAncestorLevel: 5 }, { relativeAncestorLevel: 5, me: true }, true],
  [{ me: true }, { relativeAncestorLevel: 5 }, { relativeAncestorLevel: 4 }, true],
  [{ me: true }, { relativeAncestorLevel: 5 }, { relativeAncestorLevel: 6 }, false],
  [undefined, all, { me: true }, true],
  [undefined, all, undefined, true],
];

describe("308", () => {
  test.each(table)("own %j, before %j, wanted %j: %s", async (own, before, wanted, allowed) => {
    const set = (scope: Scope | undefined): Permissions => ({
      ownable: { sensor: scope === undefined ? {} : { canDeleteObject: scope } },
    });
    const editor = await world.account("Editor", admin, {
      ownable: {
        sensor: own === undefined ? {} : { canDeleteObject: own },
        role: { canViewObject: all, canEditObject: all, canCreateObjectFor: all },
      },
    });
    const role = await create(world.root, before === undefined ? {} : set(before), editor);
    const reply = await update(editor, role.id, { permissions: set(wanted) });
    expect(outcome(reply)).toEqual(allowed ? [200, undefined] : [403, 308]);
    if (!allowed) expect(reply.at("details.scope")).toBe("ownable.sensor.canDeleteObject");
    if (before === undefined)
      expect(outcome(await create(editor, set(wanted)))).toEqual(allowed ? [200, undefined] : [403, 308]);
  });

  test("every scope of the document is compared separately", async () => {
    const rights = { canViewObject: all, canEditObject: all, canCreateObjectFor: all };
    const editor = await world.account("Poor editor", admin, { ownable: { role: rights } });
    const types = ["artifact", "measurement", "role", "file", "sensor"] as const;
    const owned = types.flatMap((type) => [
      ...(["canViewObject", "canEditObject", "canDeleteObject", "canCreateObjectFor"] as const)
        .filter((right) => !(type === "role" && right in rights))
        .map((right) => ({ ownable: { [type]: { [right]: { me: true } } } })),
      { ownable: { [type]: { canChangeOwner: { from: { me: true } } } } },
      { ownable: { [type]: { canChangeOwner: { to: { me: true } } } } },
    ]);
    const wanted: Permissions[] = [
      ...owned,
      { other: { canAssignRoles: { me: true } } },
      { other: { canAssignSensors: { me: true } } },
      { other: { canUseArtifact: { me: true } } },
      { owner: { canCreateOwner: true } },
      { owner: { canViewOwner: { myChildren: true } } },
      { owner: { canEditOwner: { me: true } } },
      { owner: { canDeleteOwner: { me: true } } },
    ];
    expect(wanted).toHaveLength(34);
    for (const permissions of wanted)
      expect((await create(editor, permissions)).code, JSON.stringify(permissions)).toBe(308);
    expect((await create(editor, { owner: { canViewOwner: { me: true } }, ownable: { role: rights } })).status).toBe(
      200,
    );
  });

  test("root may give any role", async () => {
    expect((await create(world.root, { owner: { canViewOwner: { relativeAncestorLevel: 100 } } })).status).toBe(200);
  });

  test("scopes may only name roles that the editor sees or has", async () => {
    const editor = await world.account("Names", admin, {
      ownable: {
        role: { canViewObject: { me: true }, canEditObject: all, canCreateObjectFor: all },
        sensor: { canViewObject: all },
      },
    });
    const mine = await create(world.root, {}, editor);
    const hidden = await create(admin, {}, admin);
    const naming = (id: string): Permissions => ({ ownable: { sensor: { canViewObject: { roles: [id] } } } });
    expect((await create(editor, naming(hidden.id))).code).toBe(107);
    expect((await create(editor, naming(mine.id))).code).toBe(308);
    const kept = await create(world.root, naming(hidden.id), editor);
    expect((await update(editor, kept.id, { permissions: naming(hidden.id), name: "Kept" })).status).toBe(200);
  });
});

describe("T-05 no escalation", () => {
  test("no one edits or deletes a role that they hold, not even root", async () => {
    const up = { ...all, relativeAncestorLevel: 2 };
    const role = { canViewObject: up, canEditObject: up, canDeleteObject: up, canCreateObjectFor: all };
    const below = await world.account("Sees up", admin, { ownable: { role } });
    for (const who of [below, world.root]) {
      expect(outcome(await update(who, who.roleId ?? "", { name: "Mine" }))).toEqual([403, 305]);
      expect(outcome(await update(who, who.roleId ?? "", { permissions: fullPermissions }))).toEqual([403, 305]);
      expect(outcome(await call(who, "DELETE", `/api/role/${who.roleId}`))).toEqual([403, 304]);
    }
  });

  test("my role held by another account can't exceed my rights", async () => {
    const maker = await world.account("Maker", admin, {
      ownable: {
        role: { canViewObject: all, canEditObject: all, canCreateObjectFor: all },
        sensor: { canViewObject: all },
      },
    });
    const role = await create(world.root, { ownable: { sensor: { canViewObject: { me: true } } } }, maker);
    const holder = await world.account("Holder", maker, null);
    await call(world.root, "PUT", `/api/account/${holder.id}`, { role: role.id });
    expect(
      (await update(maker, role.id, { permissions: { ownable: { sensor: { canEditObject: { me: true } } } } })).code,
    ).toBe(308);
    expect((await update(maker, role.id, { permissions: {} })).status).toBe(200);
    expect(
      (await update(maker, role.id, { permissions: { ownable: { sensor: { canViewObject: { me: true } } } } })).status,
    ).toBe(200);
  });

  test("302: the owner changes only from and to permitted accounts", async () => {
    const child = await world.account("New owner", admin, null);
    const cases: [from: Scope, to: Scope, code: number | undefined][] = [
      [all, all, undefined],
      [{ me: true }, { myChildren: true }, undefined],
      [{ myChildren: true }, all, 302],
      [all, { me: true }, 302],
      [{}, {}, 302],
    ];
    for (const [from, to, code] of cases) {
      const who = await world.account("Hands over", admin, {
        owner: { canViewOwner: { ...all, relativeAncestorLevel: 1 } },
        ownable: { role: { canViewObject: all, canEditObject: all, canChangeOwner: { from, to } } },
      });
      const below = await world.account("Below", who, null);
      const role = await create(world.root, {}, who);
      const reply = await update(who, role.id, { owner: below.id });
      expect(reply.code, JSON.stringify([from, to])).toBe(code);
      if (code === undefined) expect(reply.at("owner._id")).toBe(below.id);
    }
    const role = await create(admin, {}, admin);
    const stranger = await world.account("Stranger", world.root, null);
    expect(outcome(await update(admin, role.id, { owner: stranger.id }))).toEqual([400, 103]);
    expect((await update(admin, role.id, { owner: child.id })).at("owner._id")).toBe(child.id);
  });

  test("a right that is being removed can't be given at the same time", async () => {
    const strong: Permissions = { ownable: { sensor: { canDeleteObject: all } } };
    const rights = { role: { canViewObject: all, canEditObject: all, canCreateObjectFor: all } };
    const who = await world.account("Losing", admin, { ownable: { ...rights, ...strong.ownable } });
    const { id: own } = await create(who, {});
    const { db } = world.ctx;
    const waiting = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(db);
      return rows[0]?.n ?? 0;
    };
    // Both requests have passed the guard when the rights are removed.
    const [created, edited] = await db.transaction().execute(async (tx) => {
      await lockRights(tx, "change");
      const requests = [create(who, strong), call(who, "PUT", `/api/role/${own}`, { permissions: strong })];
      await until("both requests at the lock", async () => (await waiting()) === 2);
      await tx
        .updateTable("role")
        .set({ permissions: JSON.stringify({ ownable: rights }) })
        .where("id", "=", who.roleId)
        .execute();
      return requests;
    });
    expect((await created)?.code).toBe(308);
    expect((await edited)?.code).toBe(308);
  });
});

describe("lists, changes, deletion", () => {
  test("array or page, by name then owner, filtered, within the view scope", async () => {
    const top = await world.account("Lists", world.root, fullPermissions);
    const child = await world.account("A child", top, null);
    for (const [name, owner] of [
      ["beta", top],
      ["Alpha", top],
      ["alpha", child],
    ] as const)
      await create(world.root, {}, owner, name);
    const names = (reply: Reply) =>
      reply.list.map(({ name, owner }) => `${String(name)} of ${(owner as { name: string }).name}`);
    expect(names(await call(top, "GET", "/api/role"))).toEqual(["Alpha of Lists", "alpha of A child", "beta of Lists"]);
    expect(names(await call(top, "GET", "/api/role?sortBy=-owner&sortBy=-name"))).toEqual([
      "beta of Lists",
      "Alpha of Lists",
      "alpha of A child",
    ]);
    const page = await call(top, "GET", "/api/role?includeTotals=true&limit=1&skip=1");
    expect([names(page), page.at("total")]).toEqual([["alpha of A child"], 3]);
    expect(names(await call(top, "GET", "/api/role?name=ALP"))).toHaveLength(2);
    expect(names(await call(top, "GET", `/api/role?ownerID=${child.id}`))).toEqual(["alpha of A child"]);
    expect(names(await call(top, "GET", `/api/role?ownerID=${world.root.id}`))).toEqual([]);
    expect(outcome(await call(top, "GET", "/api/role?sortBy=permissions"))).toEqual([400, 102]);
    expect(outcome(await call(top, "GET", `/api/role/${admin.roleId}`))).toEqual([404, 105]);
  });

  test("invisible roles are missing before 305 and 304", async () => {
    const viewer = await world.account("Viewer", admin, { ownable: { role: { canViewObject: all } } });
    const seen = await create(world.root, {}, viewer);
    expect(outcome(await update(viewer, seen.id, { name: "x" }))).toEqual([403, 305]);
    expect(outcome(await call(viewer, "DELETE", `/api/role/${seen.id}`))).toEqual([403, 304]);
    const hidden = await create(admin, {}, admin);
    expect(outcome(await update(viewer, hidden.id, { name: "x" }))).toEqual([404, 105]);
    expect(outcome(await update(viewer, hidden.id, { name: "<" }))).toEqual([404, 105]);
    expect(outcome(await call(viewer, "DELETE", `/api/role/${hidden.id}`))).toEqual([404, 105]);
  });

  test("If-Match guards a role", async () => {
    const role = await create(admin, {});
    const put = (version: string) =>
      call(admin, "PUT", `/api/role/${role.id}`, { permissions: {} }, { "if-match": version });
    expect([(await put("1")).status, (await put("1")).status, (await put('"2"')).status]).toEqual([200, 412, 200]);
  });

  test("a deleted role: holders keep sessions, lose rights, and show no role", async () => {
    const role = await create(admin, { owner: { canViewOwner: all } });
    const holder = await world.account("Holder", admin, null);
    await call(admin, "PUT", `/api/account/${holder.id}`, { role: role.id });
    expect((await call(holder, "GET", "/api/account")).list).toHaveLength(1);
    expect((await call(admin, "DELETE", `/api/role/${role.id}`)).body).toEqual({ _id: role.id });
    expect((await call(holder, "GET", "/api/account")).list).toEqual([]);
    expect((await call(holder, "GET", "/api/auth/user")).body).toMatchObject({
      _id: holder.id,
      role: null,
      permissions: null,
    });
    expect((await call(admin, "GET", `/api/account/${holder.id}`)).at("role")).toBeNull();
    expect((await call(admin, "PUT", `/api/account/${holder.id}`, { role: role.id, name: "Same" })).status).toBe(200);
    const other = await world.account("Other", admin, null);
    expect((await call(admin, "PUT", `/api/account/${other.id}`, { role: role.id })).code).toBe(107);
  });
});

describe("live", () => {
  async function listen(who: Person) {
    const socket = new WebSocket(`${world.url.replace("http", "ws")}/live?token=${who.token}`);
    const heard: { type: string; op?: string; obj?: { _id: string; role?: unknown } }[] = [];
    socket.on("message", (data: Buffer) => void heard.push(JSON.parse(data.toString()) as (typeof heard)[number]));
    const closed = new Promise<number>((resolve) => void socket.once("close", resolve));
    await new Promise((resolve, reject) => void socket.once("open", resolve).once("error", reject));
    return { socket, heard, closed };
  }

  test("only a changed view scope reloads; other rights apply at once", async () => {
    const role = await create(admin, { ownable: { sensor: { canViewObject: all } } });
    const holder = await world.account("Holder", admin, null);
    await call(admin, "PUT", `/api/account/${holder.id}`, { role: role.id });
    const line = await listen(holder);
    await update(admin, role.id, {
      permissions: { ownable: { sensor: { canViewObject: all, canDeleteObject: all } } },
    });
    await update(admin, role.id, { name: "Renamed" });
    // Every holder gets the event, although only accounts that may view the role see it in the holder's row.
    await until("word of the own account", () =>
      line.heard.some(({ type, obj }) => type === "account" && obj?._id === holder.id),
    );
    expect(line.socket.readyState).toBe(WebSocket.OPEN);
    await update(admin, role.id, { permissions: { ownable: { sensor: { canViewObject: { me: true } } } } });
    expect(await line.closed).toBe(4403);
    const again = await listen(holder);
    await call(admin, "DELETE", `/api/role/${role.id}`);
    expect(await again.closed).toBe(4403);
  });

  test("roles appear, change and disappear on their viewers' sockets", async () => {
    const seer = await listen(admin);
    const bare = await listen(await world.account("Bare", admin, null));
    const role = await create(admin, {});
    await until("the new role", () => seer.heard.some(({ op, obj }) => op === "create" && obj?._id === role.id));
    await call(admin, "DELETE", `/api/role/${role.id}`);
    await until("its end", () => seer.heard.some(({ op, obj }) => op === "delete" && obj?._id === role.id));
    expect(bare.heard.filter(({ type }) => type !== "hello")).toEqual([]);
    seer.socket.terminate();
    bare.socket.terminate();
  });
});

test("LI-01 AC-02 a role's new name updates its holders for those who see both", async () => {
  const watcher = await world.account("Watcher", world.root, fullPermissions);
  const holder = await world.account("Holder", watcher, null);
  const { id } = await create(watcher, {});
  await call(watcher, "PUT", `/api/account/${holder.id}`, { role: id });
  const [near, far] = [await world.live(watcher), await world.live(admin)];
  expect((await update(watcher, id, { name: "Night shift" })).status).toBe(200);
  const newest = () => near.frames.findLast(({ obj }) => obj?.["_id"] === holder.id)?.obj?.["role"];
  await expect.poll(newest).toMatchObject({ _id: id, name: "Night shift" });
  const own = await create(admin, {});
  await far.heard("role", "create", own.id);
  expect(far.frames.filter((frame) => frame.obj?.["_id"] === holder.id || frame.obj?.["_id"] === id)).toEqual([]);
});
