// Tests locations, firmware and init tokens on the live socket: clients receive objects that they may view, and a delete when they
// may no longer view one.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Live } from "../testing/live-socket.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
let viewer: Person;
let child: Person;
let stranger: Person;
let ears: Record<"customer" | "viewer" | "child" | "stranger", Live>;

const upwards = { me: true, relativeAncestorLevel: 1 };

beforeAll(async () => {
  world = await createWorld();
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  viewer = await world.account("Viewer", customer, {
    owner: { canViewOwner: upwards },
    ownable: { measurement: { canViewObject: upwards }, sensor: { canViewObject: { me: true } } },
  });
  child = await world.account("Child", customer, {});
  stranger = await world.account("Other Customer", world.root, fullPermissions);
  ears = {
    customer: await world.live(customer),
    viewer: await world.live(viewer),
    child: await world.live(child),
    stranger: await world.live(stranger),
  };
});
afterAll(() => world.stop());

const about = (live: Live, id: string) => live.frames.filter(({ obj }) => obj?.["_id"] === id);
/**
 * Waits until each of `who` has received a marker object; all earlier messages have arrived by then. The stranger gets a separate
 * marker, because it can't see the customer's.
 */
async function flush(who: (keyof typeof ears)[]) {
  const id = await world.firmware(customer, "ZOD", `0.0.${(sent += 1)}`);
  await world.call(customer, "PUT", `/api/artifact/${id}`, { body: { objPerm: { childrenCanViewObject: true } } });
  const foreign = await world.firmware(stranger, "ZOD", `0.0.${sent}`);
  await world.call(stranger, "PUT", `/api/artifact/${foreign}`, { body: { name: `1.0.${sent}` } });
  for (const name of who) await ears[name].heard("artifact", "update", name === "stranger" ? foreign : id);
}
let sent = 0;

test("a location is published to its viewers only", async () => {
  const sensor = await world.call(customer, "POST", "/api/sensor", {
    body: { _id: "02:00:00:00:0A:01", owner: customer.id, type: "APS" },
  });
  const made = await world.call(customer, "POST", "/api/measurement", {
    body: { name: "Shop", owner: customer.id, sensorID: sensor.id },
  });
  const frame = await ears.customer.heard("measurement", "create", made.id);
  expect(frame.obj).toEqual({ ...(made.body as object), owner: expect.objectContaining({ _id: customer.id }) });
  expect(frame.obj?.["sensorCount"]).toBe(1);
  expect((await ears.viewer.heard("measurement", "create", made.id)).obj).toMatchObject({
    name: "Shop",
    sensorCount: 0,
  });
  const put = await world.call(customer, "PUT", `/api/measurement/${made.id}`, { body: { name: "Renamed" } });
  expect(put.status).toBe(200);
  expect((await ears.viewer.heard("measurement", "update", made.id)).obj).toMatchObject({
    name: "Renamed",
    version: 2,
  });
  await flush(["stranger", "child"]);
  expect(about(ears.stranger, made.id)).toEqual([]);
  expect(about(ears.child, made.id)).toEqual([]);
});

test("locations out of view or deleted are deletes with nothing but the id", async () => {
  const moved = await world.call(customer, "POST", "/api/measurement", { body: { name: "Moved", owner: customer.id } });
  await ears.viewer.heard("measurement", "create", moved.id);
  await world.call(customer, "PUT", `/api/measurement/${moved.id}`, { body: { owner: child.id } });
  expect((await ears.viewer.heard("measurement", "delete", moved.id)).obj).toEqual({ _id: moved.id });
  expect((await ears.customer.heard("measurement", "update", moved.id)).obj).toMatchObject({
    owner: { _id: child.id },
  });
  await world.call(customer, "DELETE", `/api/measurement/${moved.id}`);
  expect((await ears.customer.heard("measurement", "delete", moved.id)).obj).toEqual({ _id: moved.id });
});

test("FW-04 opening firmware to children publishes it, closing deletes it", async () => {
  const id = await world.firmware(customer, "APS", "4.0.0");
  const open = (childrenCanViewObject: boolean) =>
    world.call(customer, "PUT", `/api/artifact/${id}`, { body: { objPerm: { childrenCanViewObject } } });
  await open(true);
  expect((await ears.child.heard("artifact", "update", id)).obj).toMatchObject({ name: "4.0.0" });
  await open(false);
  expect((await ears.child.heard("artifact", "delete", id)).obj).toEqual({ _id: id });
  const heard = about(ears.child, id).length;
  await world.call(customer, "PUT", `/api/artifact/${id}`, { body: { name: "4.0.1" } });
  await flush(["child", "stranger"]);
  expect(about(ears.child, id)).toHaveLength(heard);
  expect(about(ears.stranger, id)).toEqual([]);
});

test("an init token is published without its secret, even to editors", async () => {
  const firmware = await world.firmware(customer, "APS", "5.0.0");
  const made = await world.call(customer, "POST", "/api/init_token", {
    body: { name: "Dock", owner: customer.id, artifact: firmware },
  });
  const frame = await ears.customer.heard("init-token", "create", made.id);
  expect(frame.obj).toMatchObject({ name: "Dock", artifact: { _id: firmware } });
  expect(frame.obj).not.toHaveProperty("token");
  await world.call(customer, "PUT", `/api/init_token/${made.id}`, { body: { owner: viewer.id } });
  expect((await ears.viewer.heard("init-token", "update", made.id)).obj).toMatchObject({
    name: "Dock",
    artifact: null,
  });
  await world.call(customer, "DELETE", `/api/init_token/${made.id}`);
  expect((await ears.viewer.heard("init-token", "delete", made.id)).obj).toEqual({ _id: made.id });
  await flush(["stranger"]);
  expect(about(ears.stranger, made.id)).toEqual([]);
  for (const live of Object.values(ears)) expect(JSON.stringify(live.frames)).not.toContain(String(made.at("token")));
});
