// What the gateway keeps of coaches: the newest level of each, written every few seconds and not with each message.
import type { Capability } from "../device/capability.ts";
import type { Context } from "../context.ts";
import { createNewestWriter } from "../db/newest-writer.ts";
import { type SaidLevel, saveLevels } from "./feed.store.ts";

/** So often at most the levels of all coaches are written, each once. */
const everyMs = 2000;

function start(ctx: Context) {
  const writer = createNewestWriter<SaidLevel>({
    name: "what coaches said",
    log: ctx.log,
    everyMs,
    write: (levels) => ctx.db.transaction().execute((tx) => saveLevels(tx, levels)),
  });
  const off = [
    ctx.bus.on("liveLevel", ({ sensorId, level }) => {
      if (level.t !== "occ") return;
      writer.put(sensorId, { sensorId, zones: level.zones, pos: level.pos ?? null, at: ctx.clock.date() });
    }),
    // What it said is no business of whose it is now.
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

/** Feeds the feed. */
export const feed: Capability = { name: "feed", start };
