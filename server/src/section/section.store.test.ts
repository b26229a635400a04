// Tests storing the responses of concurrent readings of one settings section.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { SectionResponse } from "@psp/contract/section/wire.ts";
import { expect, test } from "vitest";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld } from "../testing/world.ts";
import { storeSection } from "./section.store.ts";

test("a reading that waits for another one names the vehicle that the other one stored", async () => {
  const world = await createWorld();
  const { db } = world.ctx;
  try {
    const owner = await world.account("Tram Lines", world.root, fullPermissions);
    const body = { _id: "02:00:00:00:0D:01", owner: owner.id, type: "ZOD" };
    const { id } = await world.call(owner, "POST", "/api/sensor", { body });
    const { num } = await db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow();
    const sensor = { num, id, type: "ZOD", owner_id: owner.id } as const;
    const inVehicle = (vehicleId: string) =>
      ({ key: "group", rev: 1, values: { coach: { vehicleId, carriageSequence: 1 } } }) as unknown as SectionResponse;
    const at = world.ctx.clock.date();
    let former: string | null = null;
    for (const [meanwhile, next] of [
      ["t-1", "t-2"],
      ["t-3", "t-2"],
    ] as const) {
      const { first, second } = await db.transaction().execute(async (tx) => {
        const stored = await storeSection(tx, sensor, "group", inVehicle(meanwhile), at);
        const waiting = db.transaction().execute((later) => storeSection(later, sensor, "group", inVehicle(next), at));
        await untilSomebodyWaits(db);
        return { first: stored, second: { waiting } };
      });
      expect(first).toEqual({ isChanged: true, formerVehicleId: former });
      expect(await second.waiting).toEqual({ isChanged: true, formerVehicleId: meanwhile });
      former = next;
    }
  } finally {
    await world.stop();
  }
});
