// What a new gateway does not know: sensors that an earlier one heard must be heard again before displays count on them.
import type { Context } from "../../context.ts";
import { openOutages } from "./ledger.store.ts";

/** To be called before anything listens, so that no display can be shown what was true before the start. */
export async function doubtSensors(ctx: Context): Promise<void> {
  const sensorIds = await openOutages(ctx.db, "all", ctx.clock.date(), true);
  if (sensorIds.length > 0) ctx.bus.emit({ name: "sightChanged", event: { sensorIds } });
}
