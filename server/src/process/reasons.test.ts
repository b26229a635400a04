// Tests the reasons of refused writes: each contains the catalog's message, a plain reason and the object, but never a name that the
// caller may not see.
import { errorEntry, type ServerErrorCode } from "@psp/contract/errors.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import { allObjectRights, type Permissions } from "@psp/contract/permission/permissions.ts";
import type { Scope } from "@psp/contract/permission/scope.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createScene, type Scene } from "../testing/scenes/scene.ts";
import type { JsonObject, Person } from "../testing/world.ts";

let scene: Scene;
let grandchild: Person;
let serial = 500;
beforeAll(async () => {
  scene = await createScene();
  const { world, customer } = scene;
  grandchild = await world.account("Kiosk", await world.account("Quay", customer, {}), {});
});
afterAll(() => scene.world.stop());

const own: Scope = { me: true };
const upwards: Scope = { me: true, relativeAncestorLevel: 1 };
const seen = { canViewObject: upwards };
const mine = allObjectRights(own, upwards);
const viewsAll: Permissions = {
  owner: { canViewOwner: upwards },
  ownable: { artifact: seen, measurement: seen, role: seen, sensor: seen },
};
const keepsOwn: Permissions = {
  owner: { canViewOwner: upwards },
  ownable: { artifact: mine, measurement: mine, role: mine, sensor: mine },
};

const colleague = (permissions: Permissions) => scene.world.account("Colleague", scene.customer, permissions);

async function make(who: Person, path: string, body: JsonObject): Promise<string> {
  const reply = await scene.world.call(who, "POST", path, { body: { owner: who.id, ...body } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}
const sensorOf = (who: Person, type = "APS") =>
  make(who, "/api/sensor", { _id: toMac(0x0200_0001_0000 + (serial += 1)), type });

type Call = [method: string, path: string, body?: JsonObject];
type Refusal = {
  title: string;
  code: ServerErrorCode;
  rights: Permissions;
  call: (who: Person) => Call | Promise<Call>;
  reason: string;
  object?: () => NamedObject;
};
const customerObject = (): NamedObject => ({ type: "account", id: scene.customer.id, name: "Harbour Stores" });
const at = (place: string, key: keyof Scene["ids"]) => `/api/${place}/${scene.ids[key]}`;

const foreign: Refusal[] = (
  [
    ["sensor", "sensor", "sensors", "sensor", { groups: ["south"] }],
    ["location", "measurement", "locations", "location", { name: "Another" }],
    ["firmware", "artifact", "firmware", "firmware", { objPerm: { childrenCanViewObject: true } }],
    ["role", "role", "roles", "role", { name: "Another" }],
    ["init token", "init_token", "init tokens", "initToken", { name: "Another" }],
  ] as const
).flatMap(([one, place, many, key, change]): Refusal[] => [
  {
    title: `somebody else's ${one} that can't be edited`,
    code: 305,
    rights: viewsAll,
    call: () => ["PUT", at(place, key), { ...change }],
    reason: `The ${one} belongs to Harbour Stores, whose ${many} you can't edit.`,
    object: customerObject,
  },
  {
    title: `somebody else's ${one} that can't be deleted`,
    code: 304,
    rights: viewsAll,
    call: () => ["DELETE", at(place, key)],
    reason: `The ${one} belongs to Harbour Stores, whose ${many} you can't delete.`,
    object: customerObject,
  },
]);

const created: Refusal[] = (
  [
    ["sensor", "sensors", { _id: toMac(0x0200_0001_0400), type: "APS" }],
    ["measurement", "locations", { name: "Shop" }],
    ["role", "roles", { name: "Helper" }],
    ["init_token", "init tokens", { name: "Token" }],
  ] as const
).flatMap(([place, many, body]): Refusal[] => [
  {
    title: `${many} for somebody else`,
    code: 303,
    rights: viewsAll,
    call: () => ["POST", `/api/${place}`, { ...body, owner: scene.customer.id }],
    reason: `You can't create ${many} for Harbour Stores.`,
    object: customerObject,
  },
  {
    title: `${many} for oneself`,
    code: 303,
    rights: viewsAll,
    call: (who) => ["POST", `/api/${place}`, { ...body, owner: who.id }],
    reason: `You can't create ${many} for your own account.`,
  },
]);

const withAll = (more: Permissions): Permissions => ({ ...keepsOwn, ...more });
const refusals: Refusal[] = [
  ...foreign,
  ...created,
  {
    title: "firmware of another type of sensor",
    code: 102,
    rights: withAll({ other: { canUseArtifact: upwards } }),
    call: async (who) => ["PUT", `/api/sensor/${await sensorOf(who, "PS.C1")}`, { artifact: scene.ids.firmware }],
    reason: "Firmware 1.2.3 is for APS; this sensor is a PS.C1.",
    object: () => ({ type: "artifact", id: scene.ids.firmware, name: "1.2.3" }),
  },
  {
    title: "firmware that may be seen but not used",
    code: 309,
    rights: keepsOwn,
    call: async (who) => ["PUT", `/api/sensor/${await sensorOf(who)}`, { artifact: scene.ids.firmware }],
    reason: "Firmware 1.2.3 belongs to Harbour Stores, which you can't use.",
    object: customerObject,
  },
  {
    title: "firmware for an init token that may be seen but not used",
    code: 309,
    rights: keepsOwn,
    call: (who) => ["POST", "/api/init_token", { name: "Token", owner: who.id, artifact: scene.ids.firmware }],
    reason: "Firmware 1.2.3 belongs to Harbour Stores, which you can't use.",
    object: customerObject,
  },
  {
    title: "a location to which no sensor may be assigned",
    code: 301,
    rights: withAll({ other: { canAssignSensors: own } }),
    call: async (who) => ["PUT", `/api/sensor/${await sensorOf(who)}`, { measID: scene.ids.location }],
    reason: "The location belongs to Harbour Stores, which you can't use.",
    object: customerObject,
  },
  {
    title: "a new owner to whom nothing may be handed over",
    code: 302,
    rights: withAll({ other: { canAssignSensors: upwards } }),
    call: async (who) => ["PUT", `/api/sensor/${await sensorOf(who)}`, { owner: scene.customer.id }],
    reason: "You can't hand sensors over to Harbour Stores.",
    object: customerObject,
  },
  {
    title: "an owner whose locations may be edited but not handed over",
    code: 302,
    rights: {
      owner: { canViewOwner: upwards },
      ownable: {
        measurement: { canViewObject: upwards, canEditObject: upwards, canChangeOwner: { from: own, to: upwards } },
      },
    },
    call: (who) => ["PUT", at("measurement", "location"), { owner: who.id }],
    reason: "The location belongs to Harbour Stores, whose locations you can't hand over.",
    object: customerObject,
  },
  {
    title: "a new owner to whom no sensor may be assigned",
    code: 301,
    rights: {
      owner: { canViewOwner: upwards },
      ownable: { sensor: { ...mine, canChangeOwner: { from: own, to: upwards } } },
      other: { canAssignSensors: own },
    },
    call: async (who) => ["PUT", `/api/sensor/${await sensorOf(who)}`, { owner: scene.customer.id }],
    reason: "You can't assign sensors to Harbour Stores.",
    object: customerObject,
  },
  {
    title: "re-registration without a code",
    code: 102,
    rights: keepsOwn,
    call: async (who) => ["PUT", `/api/sensor/${await sensorOf(who)}`, { claimable: true }],
    reason: "You can't enable re-registration: this sensor has no registration code.",
  },
  {
    title: "a role that gives more than one's own",
    code: 308,
    rights: withAll({}),
    call: (who) => [
      "POST",
      "/api/role",
      {
        name: "Everything",
        owner: who.id,
        permissions: { ownable: { sensor: { canDeleteObject: { me: true, myChildren: true } } } },
      },
    ],
    reason: "You can't give more access than your own role has: Sensor › Delete.",
  },
  {
    title: "one's own role",
    code: 305,
    rights: { owner: { canViewOwner: own }, ownable: { role: { canViewObject: upwards, canEditObject: upwards } } },
    call: async (who) => {
      await scene.world.ctx.db
        .updateTable("role")
        .set({ owner_id: who.id, owner_path: who.path })
        .where("id", "=", who.roleId ?? "")
        .execute();
      return ["PUT", `/api/role/${who.roleId}`, { name: "Mighty" }];
    },
    reason: "This is your own role.",
  },
  {
    title: "an invitation by somebody who gives no roles",
    code: 300,
    rights: { owner: { canViewOwner: upwards, canCreateOwner: true }, ownable: { role: seen } },
    call: () => ["POST", "/api/account", { name: "New", email: "new-two@example.com", role: scene.ids.role }],
    reason: "You can't assign roles to sub-accounts.",
  },
  {
    title: "a role for an account to which none may be given",
    code: 300,
    rights: { owner: { canViewOwner: upwards, canEditOwner: upwards }, ownable: { role: seen } },
    call: () => ["PUT", at("account", "account"), { role: scene.ids.role }],
    reason: "You can't assign roles to Harbour Stores.",
  },
  {
    title: "a role with which a sub-account would reach more than the giver",
    code: 300,
    rights: {
      owner: { canViewOwner: upwards, canCreateOwner: true },
      ownable: { role: seen },
      other: { canAssignRoles: { me: true, myChildren: true } },
    },
    call: async () => {
      const permissions = { ownable: { measurement: { canEditObject: own } } };
      const role = await make(scene.customer, "/api/role", { name: `Keeper ${(serial += 1)}`, permissions });
      return ["POST", "/api/account", { name: "New", email: "new-three@example.com", role }];
    },
    reason: "With this role, a sub-account would have more access than you: Location › Edit.",
  },
  {
    title: "accounts by somebody who makes none",
    code: 303,
    rights: viewsAll,
    call: () => ["POST", "/api/account", { name: "New", email: "new-one@example.com", role: scene.ids.role }],
    reason: "Your role can't create accounts.",
  },
  {
    title: "an account that can't be edited",
    code: 305,
    rights: viewsAll,
    call: () => ["PUT", at("account", "account"), { name: "Other" }],
    reason: "You can't edit Harbour Stores.",
  },
  {
    title: "an account with others below it",
    code: 304,
    rights: {
      owner: { canViewOwner: { ...upwards, myChildren: true }, canDeleteOwner: { ...upwards, myChildren: true } },
    },
    call: async (who) => {
      const middle = await scene.world.account("Middle", who, {});
      await scene.world.account("Low", await scene.world.account("Lower", middle, {}), {});
      return ["DELETE", `/api/account/${middle.id}`];
    },
    reason: "The account has 2 accounts below it.",
  },
  {
    title: "accounts below that may not all be seen",
    code: 304,
    rights: { owner: { canViewOwner: upwards, canDeleteOwner: upwards } },
    call: () => ["DELETE", `/api/account/${scene.customer.id}`],
    reason: "The account has accounts below it.",
  },
  {
    title: "licenses by somebody who is not the operator",
    code: 306,
    rights: viewsAll,
    call: () => ["PUT", `/api/sensor/${encodeURIComponent(scene.ids.sensor)}/licenses`, { monitoring: true }],
    reason: "Only the operator grants licenses.",
  },
];

test.each(refusals)("PE-04 ER-02 $title is refused with the reason ($code)", async ({ code, rights, ...refusal }) => {
  const who = await colleague(rights);
  const [method, path, body] = await refusal.call(who);
  const reply = await scene.world.call(who, method, path, body === undefined ? {} : { body });
  const { error, details } = reply.body as { error: string; details?: JsonObject };
  expect([reply.code, error]).toEqual([code, errorEntry(code).message]);
  expect(details?.["reason"]).toBe(refusal.reason);
  expect(details?.["object"]).toEqual(refusal.object?.());
});

test("PE-04 AC-12 one account below is singular, and the operator's own is not counted", async () => {
  const { world, customer, ids } = scene;
  const lonely = await world.account("Lonely", customer, {});
  await world.account("Only", lonely, {});
  const refused = await world.call(customer, "DELETE", `/api/account/${lonely.id}`);
  expect(refused.at("details.reason")).toBe("The account has 1 account below it.");
  const own = await world.call(world.root, "DELETE", `/api/account/${world.root.id}`);
  expect(own.at("details.reason")).toBe("The root account can't be deleted.");
  expect((await world.call(customer, "DELETE", `/api/account/${grandchild.id}`)).status).toBe(200);
  expect((await world.call(customer, "GET", `/api/account/${ids.child}`)).status).toBe(200);
});

test("ER-02 concurrent changes and taken versions or names are reported as such", async () => {
  const { world, customer, ids } = scene;
  const place = await world.call(customer, "GET", `/api/measurement/${ids.location}`);
  const stale = await world.call(customer, "PUT", `/api/measurement/${ids.location}`, {
    body: { name: "Another" },
    headers: { "if-match": String(Number(place.at("version")) + 3) },
  });
  expect([stale.status, stale.at("details.reason")]).toEqual([
    412,
    `It was changed in the meantime. Its version is now ${Number(place.at("version"))}.`,
  ]);
  const role = await world.call(customer, "POST", "/api/role", { body: { name: "Janitor", owner: customer.id } });
  expect([role.code, role.at("details.reason")]).toEqual([109, "The owner already has a role with this name."]);
  const file = new TextEncoder().encode("image");
  const firmware = await world.upload(customer, { type: "APS", name: "1.2.3" }, file);
  expect([firmware.code, firmware.at("details.reason")]).toEqual([109, "The owner already has APS 1.2.3."]);
  const text = await world.call(customer, "POST", "/api/measurement", {
    body: { name: "x".repeat(300), owner: customer.id },
  });
  expect([text.code, text.at("details.field"), text.at("details.reason")]).toEqual([
    102,
    "name",
    "At most 200 characters",
  ]);
  const form = async (body: JsonObject) =>
    (await world.call(customer, "POST", "/api/measurement", { body })).at("details.reason");
  expect(await form({ name: "Shop" })).toBe("Required");
  expect(await form({ name: 7, owner: customer.id })).toBe("Wrong type");
  expect(await form({ name: "Shop", owner: customer.id, color: "red" })).toBe("Unknown field");
});

const blind: Permissions = {
  ownable: {
    artifact: mine,
    measurement: { ...mine, canEditObject: upwards, canChangeOwner: { from: own, to: upwards } },
    role: mine,
    sensor: mine,
  },
  other: { canAssignSensors: own },
};

test("PE-04 T-05 no reason names an invisible account, role or place", async () => {
  const { world, ids, stranger } = scene;
  const who = await colleague(blind);
  const sensor = await sensorOf(who);
  const strange = {
    location: await make(stranger, "/api/measurement", { name: "Secret Shop" }),
    role: await make(stranger, "/api/role", { name: "Secret Role" }),
    firmware: (await world.upload(stranger, { type: "APS", name: "9.9.9" }, new TextEncoder().encode("x"))).id,
  };
  const hidden = [
    ["PUT", at("sensor", "sensor"), { groups: [] }, 305],
    ["DELETE", at("sensor", "sensor"), undefined, 304],
    ["DELETE", at("measurement", "location"), undefined, 304],
    ["PUT", at("role", "role"), { name: "Another" }, 305],
    ["PUT", at("artifact", "firmware"), { objPerm: { childrenCanViewObject: true } }, 305],
    ["DELETE", at("init_token", "initToken"), undefined, 304],
    ["PUT", at("measurement", "location"), { owner: who.id }, 302],
    ["PUT", `/api/sensor/${sensor}`, { artifact: ids.firmware }, 309],
    ["PUT", `/api/sensor/${sensor}`, { measID: ids.location }, 301],
  ] as const;
  const missing = [
    ["PUT", `/api/sensor/${sensor}`, { measID: strange.location }, 105],
    ["PUT", `/api/sensor/${sensor}`, { artifact: strange.firmware }, 105],
    ["PUT", `/api/sensor/${sensor}`, { owner: stranger.id }, 103],
    ["PUT", `/api/measurement/${strange.location}`, { name: "Another" }, 105],
    ["DELETE", `/api/role/${strange.role}`, undefined, 105],
    ["DELETE", `/api/account/${stranger.id}`, undefined, 105],
    ["DELETE", `/api/account/${scene.customer.id}`, undefined, 105],
  ] as const;
  for (const [method, path, body, code] of [...hidden, ...missing]) {
    const reply = await world.call(who, method, path, body === undefined ? {} : { body });
    const said = JSON.stringify(reply.body);
    expect([reply.code, said], `${method} ${path}`).toEqual([
      code,
      expect.not.stringMatching(/Harbour|Other Customer|Secret|Janitor|Operator|9\.9\.9/),
    ]);
    if (code > 300) expect(reply.at("details.reason"), said).toMatch(/an account (whose|which)/);
    else expect(reply.at("details.reason"), said).toBeUndefined();
    expect(reply.at("details.object")).toBeUndefined();
  }
});
