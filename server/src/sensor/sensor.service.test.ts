// Tests sensors over HTTP: who may change what, with which error code, and what stays secret. sensor.list.test.ts tests
// the list.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unseal } from "../kit/sealing.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
let branch: Person;
let stranger: Person;
let [place, old, fresh] = ["", "", ""];
const mac = (n: number) => toMac(0x001e_c020_0000 + n);

type Facts = Partial<Awaited<ReturnType<typeof stored>>>;
async function stored(id: string) {
  return world.ctx.db.selectFrom("sensor").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}
async function sensor(n: number, owner: Person, facts: Facts = {}): Promise<string> {
  const body = { _id: mac(n), owner: owner.id, type: "APS" };
  const reply = await world.call(world.root, "POST", "/api/sensor", { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  if (Object.keys(facts).length > 0) {
    await world.ctx.db
      .updateTable("sensor")
      .set(facts as object)
      .where("id", "=", mac(n))
      .execute();
  }
  return mac(n);
}
beforeAll(async () => {
  world = await createWorld();
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Harbour Branch", customer, { ownable: { sensor: { canViewObject: { me: true } } } });
  stranger = await world.account("Other Customer", world.root, fullPermissions);
  place = (await world.call(customer, "POST", "/api/measurement", { body: { name: "Shop", owner: customer.id } })).id;
  old = await world.firmware(customer, "APS", "1.0.0");
  fresh = await world.firmware(customer, "APS", "2.0.0");
  await sensor(1, customer, { firmware_running_id: old, running_version: "1.0.0" });
  await sensor(4, branch, { firmware_running_id: fresh, running_version: "2.0.0", claiming_code: "ABCDEFGH" });
});
afterAll(() => world.stop());

test("a list row equals the single object, for a viewer without its code", async () => {
  const [row] = (await world.call(branch, "GET", "/api/v2/sensor")).list;
  expect(row).toMatchObject({ _id: mac(4), claimingCode: null, artifactRunning: null });
  expect((await world.call(customer, "GET", `/api/sensor/${mac(4)}`)).at("claimingCode")).toBe("ABCDEFGH");
  expect((await world.call(branch, "GET", `/api/sensor/${mac(4)}`)).body).toEqual(row);
  expect((await world.call(customer, "GET", `/api/sensor/${mac(1)}`)).at("artifactRunning._id")).toBe(old);
});

type SensorRights = NonNullable<Permissions["ownable"]>["sensor"];
async function someone(name: string, sensorRights: SensorRights, other: Permissions["other"] = {}): Promise<Person> {
  const sees = { me: true, myChildren: true, relativeAncestorLevel: 1, roles: [stranger.roleId ?? ""] };
  return world.account(name, customer, {
    owner: { canViewOwner: sees },
    other,
    ownable: {
      sensor: { canViewObject: { me: true, relativeAncestorLevel: 1 }, ...sensorRights },
      measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } },
      artifact: { canViewObject: { me: true, relativeAncestorLevel: 1 } },
    },
  });
}
const up = { me: true, relativeAncestorLevel: 1 };

test("PE-04 SE-13 each right of a sensor has its own code, and a refusal changes nothing", async () => {
  const id = await sensor(20, customer);
  const path = `/api/sensor/${id}`;
  const viewer = await someone("Viewer", {});
  const editor = await someone("Editor", { canEditObject: up });
  const giver = await someone("Giver", { canEditObject: up, canChangeOwner: { from: up, to: { me: true } } });
  const put = async (who: Person, body: object) => (await world.call(who, "PUT", path, { body })).code;
  expect(await put(stranger, { groups: ["x"] })).toBe(105);
  expect(await put(viewer, { groups: ["x"] })).toBe(305);
  expect((await world.call(editor, "DELETE", path)).code).toBe(304);
  expect(await put(editor, { owner: editor.id })).toBe(302);
  expect(await put(giver, { owner: stranger.id })).toBe(302);
  expect(await put(giver, { owner: giver.id })).toBe(301);
  expect(await put(giver, { owner: world.root.id })).toBe(103);
  expect(await put(editor, { measID: place })).toBe(301);
  expect(await put(editor, { artifact: fresh })).toBe(309);
  const body = { _id: mac(21), owner: customer.id, type: "APS" };
  expect((await world.call(editor, "POST", "/api/sensor", { body })).code).toBe(303);
  expect((await world.call(customer, "PUT", `${path}/licenses`, { body: { monitoring: true } })).code).toBe(306);
  expect((await world.call(customer, "PUT", `${path}/licenses`, { body: {} })).code).toBe(306);
  const stale = { body: { monitoring: true }, headers: { "if-match": "7" } };
  expect((await world.call(world.root, "PUT", `${path}/licenses`, stale)).status).toBe(412);
  expect(await stored(id)).toMatchObject({ owner_id: customer.id, location_id: null, firmware_id: null, version: 1 });
  expect(await world.trail(id)).toHaveLength(1);

  const assigner = await someone(
    "Assigner",
    { canEditObject: up, canChangeOwner: { from: up, to: { me: true } } },
    { canAssignSensors: up, canUseArtifact: up },
  );
  expect(await put(assigner, { measID: place, artifact: fresh, groups: ["a", "a"] })).toBeUndefined();
  expect(await put(assigner, { owner: assigner.id })).toBeUndefined();
  expect(await stored(id)).toMatchObject({
    owner_id: assigner.id,
    location_id: null,
    firmware_id: fresh,
    groups: ["a"],
  });
  expect((await world.call(viewer, "GET", path)).status).toBe(404);
});

test("another type is 102, a taken id 409, a claimable sensor needs a code", async () => {
  const zod = await world.firmware(customer, "ZOD", "1.0.0");
  const id = await sensor(22, customer);
  const path = `/api/sensor/${id}`;
  expect((await world.call(customer, "PUT", path, { body: { artifact: zod } })).code).toBe(102);
  expect((await world.call(customer, "PUT", path, { body: { claimable: true } })).code).toBe(102);
  const again = await world.call(stranger, "POST", "/api/sensor", {
    body: { _id: id, owner: stranger.id, type: "APS" },
  });
  expect([again.status, again.code]).toEqual([409, 102]);
  expect((await world.call(customer, "DELETE", path)).status).toBe(200);
  expect((await world.call(customer, "GET", path)).code).toBe(105);
  expect((await world.call(customer, "GET", `/api/v2/sensor?ids=${id}`)).list).toEqual([]);
  const kept = await world.call(customer, "GET", `/api/v2/sensor?ids=${id}&includeDeleted=true`);
  expect(kept.at("objects.0.isDeleted")).toBe(true);
});

test("SE-13 of concurrent registrations of one id exactly one succeeds", async () => {
  for (let n = 0x40; n < 0x70; n += 1) {
    const make = (who: Person) =>
      world.call(who, "POST", "/api/sensor", { body: { _id: mac(n), owner: who.id, type: "APS" } });
    const replies = await Promise.all([make(customer), make(stranger), make(world.root), make(customer)]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 200)?.at("owner._id")).toBe((await stored(mac(n))).owner_id);
  }
});

test("SE-13 a deleted sensor can be registered again as a new one", async () => {
  const id = await sensor(24, customer);
  const path = `/api/sensor/${id}`;
  const grant = (body: JsonObject) => world.call(world.root, "PUT", `${path}/licenses`, { body });
  expect((await grant({ monitoring: true })).at("licenses.monitoring")).toBe(true);
  expect((await grant({})).at("licenses.monitoring")).toBe(true);
  await world.call(customer, "PUT", path, { body: { groups: ["old"] } });
  await world.ctx.db
    .insertInto("device")
    .columns(["sensor_num", "secret_hash", "enrolled_at"])
    .expression((eb) =>
      eb
        .selectFrom("sensor")
        .select((one) => [
          "num",
          one.val(Buffer.alloc(32)).as("secret_hash"),
          one.val(world.ctx.clock.date()).as("enrolled_at"),
        ])
        .where("id", "=", id),
    )
    .execute();
  expect((await world.call(customer, "DELETE", path)).status).toBe(200);

  const body = { _id: id, owner: stranger.id, type: "ZOD" };
  const again = await world.call(stranger, "POST", "/api/sensor", { body });
  expect([again.status, again.at("type"), again.at("owner._id"), again.at("groups"), again.at("licenses")]).toEqual([
    200,
    "ZOD",
    stranger.id,
    [],
    { monitoring: false },
  ]);
  expect((await world.call(customer, "GET", path)).code).toBe(105);
  const devices = await world.ctx.db
    .selectFrom("device")
    .innerJoin("sensor", "sensor.num", "device.sensor_num")
    .select("sensor.id")
    .where("sensor.id", "=", id)
    .execute();
  expect(devices).toEqual([]);
  expect((await world.call(stranger, "POST", "/api/sensor", { body })).status).toBe(409);
});

test("SE-10 the REST password is stored sealed and never returned; entries keep or clear it", async () => {
  const id = await sensor(23, customer);
  const put = (entry: object) =>
    world.call(customer, "PUT", `/api/sensor/${id}`, {
      body: { sensorFeatureCredentials: [{ feature: "restapi", ...entry }] },
    });
  const password = "correct horse battery";
  // No password is stored yet, so none can be kept.
  expect((await put({ username: "camera" })).code).toBe(206);
  expect((await put({ username: "camera", password: "" })).code).toBe(206);
  expect((await put({ username: "", password })).code).toBe(104);
  expect(await stored(id)).toMatchObject({ rest_username: null, rest_password_sealed: null });

  const reply = await put({ username: "camera", password });
  expect(reply.at("sensorFeatureCredentials")).toEqual([{ feature: "restapi", username: "camera" }]);
  const sealed = (await stored(id)).rest_password_sealed;
  expect(sealed?.length).toBeGreaterThan(password.length);
  // No column contains the password, in plain text, Base64 or hex.
  const row = JSON.stringify(
    await world.ctx.db.selectFrom("sensor").selectAll().where("id", "=", id).execute(),
    (_, value) => (value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value),
  );
  for (const form of [password, Buffer.from(password).toString("base64"), Buffer.from(password).toString("hex")]) {
    expect(row).not.toContain(form);
  }
  expect(unseal(world.ctx.config, `sensor-rest:${id}`, sealed ?? Buffer.alloc(0))).toBe(password);
  const read = [
    reply,
    await world.call(customer, "GET", `/api/sensor/${id}`),
    await world.call(customer, "GET", `/api/v2/sensor?ids=${id}`),
    await world.call(customer, "GET", `/api/v2/audit?objectID=${id}`),
  ];
  for (const { status, body } of read) {
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(password);
  }

  expect((await put({ username: "other" })).at("sensorFeatureCredentials.0.username")).toBe("other");
  expect(await stored(id)).toMatchObject({ rest_username: "other", rest_password_sealed: sealed });
  expect((await put({ username: "", password: "x" })).code).toBe(104);
  expect((await put({ username: "other", password: "" })).code).toBe(206);
  await put({ username: "", password: "" });
  expect(await stored(id)).toMatchObject({ rest_username: null, rest_password_sealed: null });
});

test("SE-10 SE-13 a new owner must enter the password again", async () => {
  const id = await sensor(251, customer);
  const path = `/api/sensor/${id}`;
  const entry = { feature: "restapi", username: "camera" };
  const put = (body: JsonObject) => world.call(world.root, "PUT", path, { body });
  expect((await put({ sensorFeatureCredentials: [{ ...entry, password: "of the former owner" }] })).status).toBe(200);
  const before = await stored(id);
  expect((await put({ owner: branch.id, sensorFeatureCredentials: [entry] })).code).toBe(206);
  expect(await stored(id)).toEqual(before);
  const given = await put({
    owner: branch.id,
    sensorFeatureCredentials: [{ ...entry, password: "of the next owner" }],
  });
  expect(given.at("sensorFeatureCredentials")).toEqual([entry]);
  const after = await stored(id);
  expect(after.owner_id).toBe(branch.id);
  expect(unseal(world.ctx.config, `sensor-rest:${id}`, after.rest_password_sealed ?? Buffer.alloc(0))).toBe(
    "of the next owner",
  );
});

test("creating a sensor without id or type names what is missing", async () => {
  const create = (body: object) => world.call(customer, "POST", "/api/sensor", { body });
  const reply = await create({ owner: customer.id });
  expect(reply).toMatchObject({ status: 400, code: 104 });
  expect([reply.at("details.field"), reply.at("details.reason")]).toEqual([
    "_id",
    "Enter the sensor ID, the MAC address on its label",
  ]);
  const untyped = await create({ owner: customer.id, _id: mac(98) });
  expect([untyped.code, untyped.at("details.reason")]).toEqual([104, "Enter the sensor type: APS, PS.C1, ZOD"]);
  expect((await create({ owner: customer.id, _id: 5, type: "APS" })).code).toBe(402);
});
