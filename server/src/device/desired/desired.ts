// What a device should be: computed from the sensor, numbered when it changes, published retained (device-protocol 4.9).
import { type Desired, desiredSchema } from "@psp/contract/sensor/sensor.device.ts";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../context.ts";
import { write } from "../../db/write.ts";
import type { Capability, DesiredContent, DesiredPart } from "../capability.ts";
import { type DesiredRow, lockDesired, saveDesired } from "./desired.store.ts";

/**
 * The desired state of these sensors with its number; the number rises only when the content differs from the last.
 * Firmware waiting for a connected sensor is offered with it; `base` is where devices fetch it.
 */
export async function desiredOf(
  ctx: Context,
  capabilities: readonly Capability[],
  base: string,
  sensorIds: readonly string[],
): Promise<Map<string, Desired>> {
  return write(ctx, { system: "desired" }, async (w) => {
    // They hold the sensors first of all: who looks at one at the same time waits, and then sees all that this one did.
    const parts: DesiredPart[] = [];
    for (const { desired } of capabilities) if (desired) parts.push(await desired(ctx, w, base, sensorIds));
    const numbered = (await lockDesired(w.tx, sensorIds)).map((row) => {
      // As JSON has it: what is stored knows no undefined.
      const content = JSON.parse(JSON.stringify(contentOf(row, parts))) as DesiredContent;
      const isSame = row.desired !== null && isDeepStrictEqual(row.desired, content);
      return { id: row.id, num: row.num, content, isSame, rev: isSame ? row.desired_rev : row.desired_rev + 1 };
    });
    await saveDesired(
      w.tx,
      numbered.filter((one) => !one.isSame),
    );
    for (const part of parts) await part.onNumbered?.(w, numbered);
    return new Map(numbered.map(({ id, content, rev }) => [id, desiredSchema.parse({ ...content, rev })]));
  });
}

function contentOf(row: DesiredRow, parts: readonly DesiredPart[]): DesiredContent {
  return Object.assign(
    {
      cfg: { countIntervalS: 300, health: true, liveFlow: row.live_flow },
      ...(row.vpn?.connect === true ? { vpn: { connect: true } } : {}),
      fw: null,
    },
    ...parts.map((part) => part.contentOf(row.num)),
  ) as DesiredContent;
}
