// Stores the newest level of each coach once a second, instead of with each message.
import type { Capability } from "../device/capability.ts";
import type { Context } from "../context.ts";
import { createNewestWriter } from "../db/newest-writer.ts";
import { type ReportedLevel, saveLevels } from "./feed.store.ts";

export const levelsEveryMs = 1000;
/** Sensors per event. Kept below the size limit of one notification between processes. */
const idsPerEvent = 200;

function start(ctx: Context) {
  const writer = createNewestWriter<ReportedLevel>({
    name: "what coaches said",
    log: ctx.log,
    everyMs: levelsEveryMs,
    async write(levels) {
      const stored = await ctx.db.transaction().execute((tx) => saveLevels(tx, levels));
      for (let from = 0; from < stored.length; from += idsPerEvent)
        ctx.bus.emit({
          name: "coachesChanged",
          event: { sensorIds: stored.slice(from, from + idsPerEvent), moved: false },
        });
    },
  });
  const off = [
    ctx.bus.on("liveLevel", ({ sensorId, level }) => {
      if (level.t !== "occ") return;
      writer.put(sensorId, { sensorId, zones: level.zones, pos: level.pos ?? null, at: ctx.clock.date() });
    }),
    // The former owner's levels must not be stored for the new one.
    ctx.bus.on("sensorsDropped", ({ sensorIds }) => {
      for (const id of sensorIds) writer.drop(id);
    }),
  ];
  return {
    async stop(): Promise<void> {
      for (const one of off) one();
      await writer.stop();
    },
  };
}

export const feed: Capability = { name: "feed", start };
