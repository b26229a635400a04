// Runs the gateway's work for one sensor without a broker, so that tests can call it thousands of times in any order.
import type { DesiredState } from "@psp/contract/device/device-messages.ts";
import type { Context } from "../../context.ts";
import { computeDesiredStates } from "../../device/desired/desired.ts";
import { capabilities } from "../../process/nouns.ts";
import { writePresence } from "../../device/presence/presence.store.ts";

export async function desiredStateOf(ctx: Context, sensorId: string): Promise<DesiredState | undefined> {
  return (await computeDesiredStates(ctx, capabilities, "https://devices.example.com", [sensorId])).get(sensorId);
}

export async function setPresence(ctx: Context, sensorId: string, connected: boolean, version: string): Promise<void> {
  await ctx.db.transaction().execute((tx) => writePresence(tx, [{ sensorId, connected, version }]));
}
