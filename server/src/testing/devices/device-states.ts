// What the gateway does for one sensor, without a broker: tests of rules call it in any order, thousands of times.
import type { Desired } from "@psp/contract/device/device-messages.ts";
import type { Context } from "../../context.ts";
import { desiredOf } from "../../device/desired/desired.ts";
import { capabilities } from "../../process/nouns.ts";
import { writePresence } from "../../device/presence/presence.store.ts";

/** What would be published to the sensor now. */
export async function desiredStateOf(ctx: Context, sensorId: string): Promise<Desired | undefined> {
  return (await desiredOf(ctx, capabilities, "https://devices.example.com", [sensorId])).get(sensorId);
}

/** The sensor is there or not, and runs this version. */
export async function bePresent(ctx: Context, sensorId: string, connected: boolean, version: string): Promise<void> {
  await ctx.db.transaction().execute((tx) => writePresence(tx, [{ sensorId, connected, version }]));
}
