// Newborn devices, many at a time: what is stored of their buffers is noted and acknowledged, then everything else that they need to know is sent.
import type { Context } from "../context.ts";
import { type GroupCommit, createGroupCommit } from "../limits/group-commit.ts";
import type { Acks, Buffered } from "./record/acks.ts";
import { parseRanges } from "./record/received.ts";
import { noteBirth } from "./record/records.store.ts";

/** A birth whose buffer is to be noted; `stored` is called when that is done. */
export type Born = Buffered & { stored: () => void };

const gatherMs = 100;
const maxBirths = 500;

export function createBirths(
  ctx: Context,
  acks: Acks,
  welcome: (sensorIds: readonly string[]) => Promise<void>,
): GroupCommit<Born> {
  return createGroupCommit<Born>({
    name: "births",
    log: ctx.log,
    gatherMs,
    maxWeight: maxBirths,
    async run(items) {
      const newest = [...new Map(items.map((item) => [item.sensorId, item])).values()];
      const rows = await ctx.db.transaction().execute((tx) => noteBirth(tx, ctx.clock.date(), newest));
      const known = new Map(rows.map((row) => [row.sensor_id, row]));
      for (const { sensorId, ep, firstQ } of newest) {
        acks.note({ sensorId, ep, ranges: parseRanges(known.get(sensorId)?.stored ?? ""), firstQ });
      }
      for (const { stored } of items) stored();
      await welcome(newest.map((item) => item.sensorId));
    },
    onPoison: () => null,
  });
}
