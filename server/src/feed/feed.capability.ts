// What the gateway keeps of coaches: the newest level of each, written every few seconds and not with each message.
import type { Capability } from "../device/capability.ts";
import type { Context } from "../context.ts";
import { isDatabaseAway } from "../db/database.ts";
import { type SaidLevel, saveLevels } from "./feed.store.ts";

/** So often at most the levels of all coaches are written, each once. */
const everyMs = 2000;

function start(ctx: Context) {
  let pending = new Map<string, SaidLevel>();
  let working: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  const off = [
    ctx.bus.on("liveLevel", ({ sensorId, level }) => {
      if (level.t !== "occ") return;
      pending.set(sensorId, { sensorId, zones: level.zones, pos: level.pos ?? null, at: ctx.clock.date() });
      if (!stopped && timer === null) working ??= work();
    }),
    // What it said is no business of whose it is now.
    ctx.bus.on("sensorsDropped", ({ sensorIds }) => {
      for (const id of sensorIds) pending.delete(id);
    }),
  ];

  /** The first is written at once; what comes while that is done, and shortly after, is gathered. */
  async function work(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const batch = pending;
    pending = new Map();
    try {
      await saveLevels(ctx.db, [...batch.values()]);
    } catch (error) {
      ctx.log.warn({ err: error }, "what coaches said can't be written down now");
      // Of no use to repeat what is refused for what it says; the next message of each replaces it.
      if (isDatabaseAway(error)) pending = new Map([...batch, ...pending]);
    }
    working = null;
    if (stopped) return;
    timer = setTimeout(() => {
      timer = null;
      if (pending.size > 0) working ??= work();
    }, everyMs).unref();
  }

  return {
    async stop(): Promise<void> {
      for (const one of off) one();
      stopped = true;
      if (timer) clearTimeout(timer);
      timer = null;
      await working;
      if (pending.size > 0) await work();
    },
  };
}

/** Feeds the feed. */
export const feed: Capability = { name: "feed", start };
