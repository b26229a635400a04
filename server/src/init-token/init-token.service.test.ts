// Tests init tokens over HTTP: rights as for sensors, secrets for editors only, and an audit row each time a secret is shown.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
let stranger: Person;
let viewer: Person;
/** May view and edit tokens, but neither hand over nor delete them, and may not use firmware. */
let editor: Person;
let firmware: string;
let strangersFirmware: string;

const upwards = { me: true, relativeAncestorLevel: 1 };

beforeAll(async () => {
  world = await createWorld();
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  stranger = await world.account("Other Customer", world.root, fullPermissions);
  viewer = await world.account("Viewer", customer, {
    owner: { canViewOwner: upwards },
    ownable: { sensor: { canViewObject: upwards } },
  });
  editor = await world.account("Editor", customer, {
    owner: { canViewOwner: upwards },
    ownable: { sensor: { canViewObject: upwards, canEditObject: upwards }, artifact: { canViewObject: upwards } },
  });
  firmware = await world.firmware(customer, "APS", "1.2.0");
  strangersFirmware = await world.firmware(stranger, "APS", "9.0.0");
});
afterAll(() => world.stop());

const nowhere = "018f0000-0000-7000-8000-000000000000";
const tokens = "/api/init_token";

async function made(more: object = {}, who = customer): Promise<{ id: string; token: string }> {
  const reply = await world.call(who, "POST", tokens, { body: { name: "Dock 4", owner: who.id, ...more } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return { id: reply.id, token: String(reply.at("token")) };
}
async function rows(): Promise<number> {
  const { n } = await world.ctx.db
    .selectFrom("init_token")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}
async function readings(id: string): Promise<(string | null)[]> {
  return (await world.trail(id)).filter(({ action }) => action === "readToken").map(({ account_id }) => account_id);
}

test("a new token has at least 128 random bits, its owner and firmware", async () => {
  const reply = await world.call(customer, "POST", tokens, {
    body: { name: "  Dock 7 ", owner: customer.id, artifact: firmware },
  });
  expect(reply.body).toMatchObject({
    name: "Dock 7",
    owner: { _id: customer.id, name: "Harbour Stores" },
    artifact: { _id: firmware, name: "1.2.0", type: "APS", isDeleted: false },
    isDeleted: false,
    version: 1,
  });
  expect(reply.at("token")).toMatch(/^psi_[\w-]{43}$/);
  const values = new Set([
    reply.at("token"),
    ...(await Promise.all([made(), made(), made()])).map(({ token }) => token),
  ]);
  expect(values.size).toBe(4);
});

test("the secret is not readable in its table, the audit log or stored responses", async () => {
  const headers = { "idempotency-key": "secret once" };
  const body = { name: "Kept secret", owner: customer.id };
  const first = await world.call(customer, "POST", tokens, { body, headers });
  const token = String(first.at("token"));
  expect((await world.call(customer, "POST", tokens, { body, headers })).body).toEqual(first.body);
  await world.call(customer, "PUT", `${tokens}/${first.id}`, {
    body: { name: "Renamed" },
    headers: { "idempotency-key": "put once" },
  });
  await world.call(customer, "GET", `${tokens}/${first.id}`);
  for (const table of ["init_token", "audit", "idempotency"] as const) {
    const all = await world.ctx.db.selectFrom(table).selectAll().execute();
    expect(all.length).toBeGreaterThan(0);
    const bytes = all.flatMap((row) =>
      Object.values(row).map((value) =>
        Buffer.isBuffer(value) ? value.toString("latin1") : (JSON.stringify(value) ?? ""),
      ),
    );
    expect(bytes.filter((text) => text.includes(token))).toEqual([]);
  }
});

test("T-14 editors see the secret, audited each time; no one else does", async () => {
  const { id, token } = await made();
  expect(await readings(id)).toEqual([]);
  const seen = await world.call(editor, "GET", `${tokens}/${id}`);
  expect(seen.at("token")).toBe(token);
  expect(await readings(id)).toEqual([editor.id]);
  const hidden = await world.call(viewer, "GET", `${tokens}/${id}`);
  expect(hidden.body).toMatchObject({ _id: id, name: "Dock 4" });
  expect(hidden.body).not.toHaveProperty("token");
  const listed = (who: Person) => world.call(who, "GET", `${tokens}?ids=${id}`);
  expect((await listed(viewer)).list).toHaveLength(1);
  expect((await listed(viewer)).list[0]).not.toHaveProperty("token");
  expect(await readings(id)).toEqual([editor.id]);
  expect((await listed(customer)).list[0]).toHaveProperty("token", token);
  const changed = await world.call(editor, "PUT", `${tokens}/${id}`, { body: { name: "Dock 5" } });
  expect(changed.at("token")).toBe(token);
  expect(await readings(id)).toEqual([editor.id, customer.id, editor.id]);
  expect((await world.call(editor, "PUT", `${tokens}/${id}`, { body: { name: 7 } })).code).toBe(402);
  expect(await readings(id)).toHaveLength(3);
});

test("T-14 live messages never contain the secret", async () => {
  const live = await world.live(customer);
  const { id, token } = await made();
  await live.heard("init-token", "create", id);
  await world.call(customer, "PUT", `${tokens}/${id}`, { body: { name: "Dock 6" } });
  expect((await live.heard("init-token", "update", id)).obj).toMatchObject({ _id: id, name: "Dock 6" });
  expect(JSON.stringify(live.frames)).not.toContain(token);
  expect(JSON.stringify(live.frames)).not.toContain('"token"');
  live.close();
});

test("T-14 a deleted token is invalid, foreign sensors stay, unusable firmware is refused", async () => {
  const enrol = (token: string, id: string) =>
    world.call(null, "POST", "/device/v1/enrol", {
      body: { token, id, type: "APS", nonce: "n", time: world.ctx.clock.now() },
    });
  const mine = await made();
  const theirs = await made({}, stranger);
  const mac = "02:00:00:00:14:01";
  expect((await enrol(theirs.token, mac)).status).toBe(201);
  expect((await enrol(mine.token, mac)).status).toBe(409);
  expect((await world.call(stranger, "GET", `/api/sensor/${mac}`)).at("owner._id")).toBe(stranger.id);
  await world.call(customer, "DELETE", `${tokens}/${mine.id}`);
  expect((await enrol(mine.token, "02:00:00:00:14:02")).status).toBe(401);
  const unseen = await world.call(customer, "POST", tokens, {
    body: { name: "Dock 8", owner: customer.id, artifact: strangersFirmware },
  });
  expect(unseen.code).toBe(105);
  const seen = await world.call(editor, "PUT", `${tokens}/${(await made()).id}`, { body: { artifact: firmware } });
  expect(seen.code).toBe(309);
});

test("IT-01 name, owner and firmware change; omitted fields stay, null and empty clear firmware", async () => {
  const { id } = await made({ artifact: firmware });
  const path = `${tokens}/${id}`;
  const named = await world.call(customer, "PUT", path, { body: { name: "Gate" } });
  expect(named.body).toMatchObject({ name: "Gate", artifact: { _id: firmware }, version: 2 });
  for (const empty of [null, ""]) {
    expect((await world.call(customer, "PUT", path, { body: { artifact: empty } })).at("artifact")).toBeNull();
    expect((await world.call(customer, "PUT", path, { body: { artifact: firmware } })).at("artifact._id")).toBe(
      firmware,
    );
  }
  const child = await world.account("Receiver", customer, null);
  const handed = await world.call(customer, "PUT", path, { body: { owner: child.id } });
  expect(handed.at("owner._id")).toBe(child.id);
  expect((await world.trail(id)).filter(({ action }) => action === "update").at(-1)).toMatchObject({
    before: { owner: customer.id, name: "Gate" },
    after: { owner: child.id, name: "Gate" },
  });
});

test("IT-01 a deleted token is not listed or found and its secret is not shown", async () => {
  const { id } = await made();
  expect((await world.call(customer, "DELETE", `${tokens}/${id}`)).body).toEqual({ _id: id });
  for (const method of ["GET", "DELETE"])
    expect((await world.call(customer, method, `${tokens}/${id}`)).code).toBe(105);
  expect((await world.call(customer, "GET", `${tokens}?ids=${id}`)).list).toEqual([]);
  const deleted = (await world.call(customer, "GET", `${tokens}?ids=${id}&includeDeleted=true`)).list;
  expect(deleted).toMatchObject([{ _id: id, isDeleted: true }]);
  expect(deleted[0]).not.toHaveProperty("token");
});

test("PE-04 105 for missing and invisible alike; then 305, 304, 302, 303, 309 and 103", async () => {
  const hidden = await made({}, stranger);
  for (const [method, body] of [
    ["GET", undefined],
    ["PUT", { name: "x" }],
    ["PUT", { nonsense: 1 }],
    ["DELETE", undefined],
  ] as const) {
    for (const id of [hidden.id, nowhere]) {
      const reply = await world.call(customer, method, `${tokens}/${id}`, { body });
      expect([reply.status, reply.code], `${method} ${id}`).toEqual([404, 105]);
    }
  }
  const { id } = await made({ artifact: firmware });
  const path = `${tokens}/${id}`;
  const before = await rows();
  const body = { name: "New", owner: customer.id };
  const code = async (who: Person, method: string, at: string, sent?: object) =>
    (await world.call(who, method, at, sent ? { body: sent } : {})).code;
  expect(await code(viewer, "PUT", path, { name: "Mine" })).toBe(305);
  expect(await code(editor, "DELETE", path)).toBe(304);
  expect(await code(editor, "PUT", path, { owner: editor.id })).toBe(302);
  expect(await code(editor, "PUT", path, { owner: stranger.id })).toBe(103);
  expect(await code(editor, "POST", tokens, body)).toBe(303);
  expect(await code(customer, "POST", tokens, { ...body, owner: stranger.id })).toBe(103);
  expect(await code(customer, "POST", tokens, { ...body, artifact: strangersFirmware })).toBe(105);
  expect(await code(customer, "POST", tokens, { ...body, artifact: nowhere })).toBe(105);
  const other = await made();
  expect(await code(editor, "PUT", `${tokens}/${other.id}`, { artifact: firmware })).toBe(309);
  expect(await code(editor, "PUT", `${tokens}/${other.id}`, { artifact: strangersFirmware })).toBe(105);
  expect(await code(editor, "PUT", path, { artifact: firmware })).toBeUndefined();
  expect(await rows()).toBe(before + 1);
  expect((await world.call(null, "GET", tokens)).code).toBe(106);
});

test("invisible firmware is not named", async () => {
  const { id } = await made({ artifact: firmware });
  expect((await world.call(viewer, "GET", `${tokens}/${id}`)).at("artifact")).toBeNull();
  expect((await world.call(editor, "GET", `${tokens}/${id}`)).at("artifact._id")).toBe(firmware);
});

test("ER-03 invalid input is refused with its code and nothing is stored", async () => {
  const before = await rows();
  const base = { name: "Dock", owner: customer.id };
  const cases: [object, number][] = [
    ...["<", ">", "[", "]", "{", "}"].map((sign): [object, number] => [{ ...base, name: `Dock ${sign}` }, 400]),
    [{ owner: customer.id }, 108],
    [{ ...base, name: "  " }, 108],
    [{ name: "Dock" }, 104],
    [{ ...base, name: 4 }, 402],
    [{ ...base, owner: 4 }, 402],
    [{ ...base, owner: "x" }, 103],
    [{ ...base, token: "chosen" }, 402],
    [{ ...base, artifact: "x" }, 102],
    [{ ...base, name: "x".repeat(201) }, 102],
  ];
  for (const [body, code] of cases) {
    expect((await world.call(customer, "POST", tokens, { body })).code, JSON.stringify(body)).toBe(code);
  }
  expect(await rows()).toBe(before);
});

test("412 for an older version", async () => {
  const { id } = await made();
  const put = (version: string) =>
    world.call(customer, "PUT", `${tokens}/${id}`, { body: { name: "Next" }, headers: { "if-match": version } });
  expect((await put("1")).status).toBe(200);
  expect((await put('"1"')).status).toBe(412);
  expect((await world.call(customer, "DELETE", `${tokens}/${id}`, { headers: { "if-match": "1" } })).status).toBe(412);
});

test("IT-01 the list is an array that filters, sorts and pages, and objects with a total on request", async () => {
  const owner = await world.account("Lister", world.root, fullPermissions);
  const child = await world.account("Below lister", owner, null);
  const older = await world.firmware(owner, "APS", "1.9.0");
  const newer = await world.firmware(owner, "APS", "1.10.0");
  const zod = await world.firmware(owner, "ZOD", "0.1.0");
  const make = async (name: string, of: Person, artifact: string) =>
    (await made({ name, owner: of.id, artifact }, owner)).id;
  const a = await make("Alpha", owner, newer);
  const b = await make("Beta_1", child, zod);
  const c = await make("Gamma", owner, older);
  const list = (query: string) => world.call(owner, "GET", `${tokens}?${query}`);
  const ids = async (query: string) => (await list(query)).list.map(({ _id }) => _id);
  expect(Array.isArray((await list("")).body)).toBe(true);
  expect(await ids("")).toEqual([a, b, c]);
  expect(await ids("sortBy=-name")).toEqual([c, b, a]);
  expect(await ids("sortBy=firmware")).toEqual([b, c, a]);
  expect(await ids("sortBy=type&sortDesc=true")).toEqual([b, a, c]);
  expect(await ids("sortBy=owner&sortBy=name")).toEqual([b, a, c]);
  expect(await ids("skip=1&limit=1")).toEqual([b]);
  expect(await ids("name=ALP")).toEqual([a]);
  expect(await ids("name=_")).toEqual([b]);
  expect(await ids(`ownerID=${child.id}`)).toEqual([b]);
  const page = await list("includeTotals=true&limit=1");
  expect(page.body).toMatchObject({ total: 3, objects: [{ _id: a }] });
  for (const bad of ["sortBy=token", "limit=501", "limit=0", "skip=-1", "planet=Mars"])
    expect((await list(bad)).code, bad).toBe(102);
  expect((await world.call(stranger, "GET", `${tokens}?ids=${a}`)).body).toEqual([]);
});
