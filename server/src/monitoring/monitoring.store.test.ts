// Tests which writes wait while a monitoring pass holds its sensors.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tx } from "../db/database.ts";
import { writePresence } from "../device/presence/presence.store.ts";
import { moveSubtree } from "../owned/tree.store.ts";
import { claim, enrollLabelled } from "../testing/rights/claiming.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { lockSensors } from "./monitoring.store.ts";

let world: World;
let other: Person;
beforeAll(async () => {
  world = await createWorld();
  other = await world.account("Other", world.root, fullPermissions);
});
afterAll(() => world.stop());

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => world.ctx.db.transaction().execute(work);
const position = ({ id }: Person) =>
  world.ctx.db
    .selectFrom("account")
    .select(["id", "path", "ancestor_ids"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();

type Labelled = Awaited<ReturnType<typeof enrollLabelled>>;
const update = (id: string, method: string, body?: object) =>
  world.call(world.root, method, `/api/sensor/${id}`, body ? { body } : {});
const writes: Record<string, (sensor: Labelled, owner: Person) => Promise<unknown>> = {
  "a hand-over": ({ id }) => update(id, "PUT", { owner: other.id }),
  "a claim": (sensor) => claim(world, other, [sensor]),
  "a deletion": ({ id }) => update(id, "DELETE"),
  "a move of the owner": async (_, owner) => {
    const [account, parent] = [await position(owner), await position(other)];
    return inTransaction((tx) => moveSubtree(tx, account, parent));
  },
};

test.each(Object.keys(writes))("while a pass holds a sensor, %s waits, and presence is written", async (name) => {
  const owner = await world.account("Owner", world.root, fullPermissions);
  const sensor = await enrollLabelled(world, owner);
  const read = () =>
    world.ctx.db.selectFrom("sensor").selectAll().where("id", "=", sensor.id).executeTakeFirstOrThrow();
  const before = await read();
  const { pending } = await inTransaction(async (tx) => {
    expect([...(await lockSensors(tx, [before.num])).values()]).toMatchObject([{ ownerId: owner.id }]);
    await inTransaction((own) => writePresence(own, [{ sensorId: sensor.id, connected: true }]));
    const done = writes[name]?.(sensor, owner);
    await untilSomebodyWaits(world.ctx.db);
    expect(await read()).toMatchObject({ is_connected: true, owner_path: before.owner_path, is_deleted: false });
    return { pending: done };
  });
  await pending;
  const { owner_path, is_deleted } = await read();
  expect(is_deleted || owner_path !== before.owner_path).toBe(true);
});
