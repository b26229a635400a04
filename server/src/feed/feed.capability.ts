// Stores the newest level of each coach once a second, instead of with each message.
import type { Capability } from "../device/capability.ts";
import type { Context } from "../context.ts";
import { createNewestWriter } from "../db/newest-writer.ts";
import { announcing } from "../db/write.ts";
import { type ReportedLevel, saveLevels } from "./feed.store.ts";

export const levelsEveryMs = 1000;

function start(ctx: Context) {
  const writer = createNewestWriter<ReportedLevel>({
    name: "what coaches said",
    log: ctx.log,
    everyMs: levelsEveryMs,
    async write(levels) {
      await announcing(ctx, async (tx, announce) => {
        const sensorIds = await saveLevels(tx, levels);
        if (sensorIds.length > 0) announce({ name: "coachesChanged", event: { sensorIds, moved: false } });
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
