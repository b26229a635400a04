// After a gateway's start, sensors count as absent until they are heard again, unless another gateway holds their connection.
import type { Context } from "../../context.ts";
import { announcing } from "../../db/write.ts";
import { deleteLeases } from "../../device/gateways/gateways.store.ts";
import { openOutages } from "./ledger.store.ts";

/** Call it before anything listens, so that no display shows a state from before the start. */
export async function openOutagesAtStart(ctx: Context): Promise<void> {
  if (ctx.config.database.url === null) await deleteLeases(ctx.db);
  await announcing(ctx, async (tx, announce) => {
    const sensorIds = await openOutages(tx, "all", ctx.clock.date(), true);
    if (sensorIds.length > 0) announce({ name: "sightChanged", event: { sensorIds } });
  });
}
