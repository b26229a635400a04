// Sensors that somebody made known by hand and whose device never came are given up, so that nobody holds an id for ever.
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import type { Job } from "../jobs/scheduler.ts";
import { deleteLocked } from "./sensor.deletion.ts";

const hourMs = 3_600_000;
/** How long a device has to come. */
export const awaitedMs = 30 * 24 * hourMs;
const partSize = 200;

export function abandonedSensorsJob(ctx: Context): Job {
  return {
    name: "abandoned sensors",
    everyMs: hourMs,
    async run(stopping) {
      while (!stopping?.aborted && (await giveUpSome(ctx)) === partSize);
    },
  };
}

/** Deletes some of those that were waited for too long, as a person would; answers how many. */
async function giveUpSome(ctx: Context): Promise<number> {
  return write(ctx, { system: "abandoned sensors" }, async (w) => {
    const tooLong = new Date(ctx.clock.now() - awaitedMs);
    const due = await w.tx
      .selectFrom("sensor")
      .select("id")
      .where("awaited_since", "<=", tooLong)
      .where("is_deleted", "=", false)
      .orderBy("awaited_since")
      .limit(partSize)
      .execute();
    if (due.length === 0) return 0;
    // In the order in which everybody locks them; a device that came meanwhile is not waited for any more.
    const sensors = await w.tx
      .selectFrom("sensor")
      .selectAll()
      .where(
        "id",
        "in",
        due.map(({ id }) => id),
      )
      .where("awaited_since", "<=", tooLong)
      .where("is_deleted", "=", false)
      .orderBy("id")
      .forUpdate()
      .execute();
    if (sensors.length === 0) return due.length;
    await deleteLocked(ctx, w, sensors, { reason: "Its device did not enrol within 30 days." });
    return due.length;
  });
}
