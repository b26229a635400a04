// Tests that two deadlocking writers both succeed, each exactly once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "../testing/world.ts";
import { write } from "./write.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

test("a deadlocked writer is retried without loss or duplication", async () => {
  const { ctx, root } = world;
  const names = ["one", "two"];
  for (const name of names) await ctx.db.insertInto("setting").values({ name, value: "0" }).execute();
  const heard: string[] = [];
  ctx.bus.on("mailQueued", () => heard.push("mail"));
  let attempts = 0;
  const firstLocked: (() => void)[] = [];
  const { promise: oneIsDone, resolve: resolveDone } = Promise.withResolvers<void>();
  const bothHoldOne = new Promise<void>((resolve) => {
    let holding = 0;
    firstLocked.push(() => (holding += 1) === 2 && resolve());
  });
  const cross = (order: string[]) =>
    write(ctx, { system: "test" }, async (w) => {
      attempts += 1;
      // Waits, because PostgreSQL might cancel the same writer again if its retry runs before the other one continues.
      if (attempts > 2) await oneIsDone;
      for (const [n, name] of order.entries()) {
        const { value } = await w.tx
          .selectFrom("setting")
          .select("value")
          .where("name", "=", name)
          .forUpdate()
          .executeTakeFirstOrThrow();
        await w.tx
          .updateTable("setting")
          .set({ value: JSON.stringify(Number(value) + 1) })
          .where("name", "=", name)
          .execute();
        if (n === 0) {
          firstLocked[0]?.();
          await bothHoldOne;
        }
      }
      w.audit({ action: "cross", object: { type: "system", _id: order.join() } });
      w.announce({ name: "mailQueued", event: {} });
    });
  await Promise.all([names, names.toReversed()].map((order) => cross(order).finally(resolveDone)));
  expect(attempts).toBe(3);
  expect(heard).toHaveLength(2);
  const { list } = await world.call(root, "GET", "/api/v2/audit?objectType=system");
  expect(list).toHaveLength(2);
  const rows = await ctx.db.selectFrom("setting").selectAll().where("name", "in", names).execute();
  expect(rows.map(({ value }) => value)).toEqual([2, 2]);
});

test("thousands of audit rows are stored in order, and the announcement once", async () => {
  const { ctx } = world;
  const position = ctx.announcements.position();
  const texts = Array.from({ length: 2_001 }, (_, n) => `${n} "quoted", \\ {braces} null`);
  await write(ctx, { system: "many" }, async (w) => {
    for (const text of texts)
      w.audit({ action: "many", object: { type: "system", _id: text }, owner: null, after: { text } });
    w.announce({ name: "mailQueued", event: {} });
  });
  const rows = await ctx.db.selectFrom("audit").selectAll().where("request_id", "=", "many").orderBy("id").execute();
  expect(rows.map((row) => row.object_id)).toEqual(texts);
  expect(rows.map(({ before, after }) => ({ before, after }))).toEqual(
    texts.map((text) => ({ before: null, after: { text } })),
  );
  await ctx.announcements.pull();
  expect(await ctx.announcements.between(position, ctx.announcements.position(), "mailQueued")).toHaveLength(1);
});

test("an idempotency key that was stored without its change never counts as success", async () => {
  const { ctx, root } = world;
  const create = () =>
    world.call(root, "POST", "/api/measurement", {
      body: { name: "Stored once", owner: root.id },
      headers: { "idempotency-key": "alone" },
    });
  const first = await create();
  expect((await create()).body).toEqual(first.body);
  await ctx.db.updateTable("idempotency").set({ reply: null }).where("key", "=", "alone").execute();
  const again = await create();
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ details: { reason: "This idempotency key is in use" } });
});
