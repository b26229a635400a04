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
