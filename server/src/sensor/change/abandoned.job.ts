// Deletes sensors that were registered by hand and whose device never enrolled, so that no account holds an id forever.
import type { Context } from "../../context.ts";
import { write } from "../../db/write.ts";
import type { Job } from "../../kit/job.ts";
import { findAwaited, lockAwaited } from "./assignment.store.ts";
import { deleteSensors, judgedOrder } from "./change.service.ts";

const hourMs = 3_600_000;
/** How long a device has to enroll. */
const awaitedMs = 30 * 24 * hourMs;
const partSize = 200;

export function abandonedSensorsJob(ctx: Context): Job {
  return {
    name: "abandoned sensors",
    everyMs: hourMs,
    async run(stopping) {
      while (!stopping?.aborted && (await deleteSome(ctx)) === partSize);
    },
  };
}

/** Deletes some of those that were waited for too long, as a person would; returns how many. */
async function deleteSome(ctx: Context): Promise<number> {
  const author = { system: "abandoned sensors" };
  return write(ctx, author, async (w) => {
    const tooLong = new Date(ctx.clock.now() - awaitedMs);
    const due = await findAwaited(w.tx, tooLong, partSize);
    if (due.length === 0) return 0;
    const ids = await lockAwaited(w.tx, due, tooLong);
    await deleteSensors(ctx, w, judgedOrder(ctx, author, ids), "Its device did not enrol within 30 days.");
    return due.length;
  });
}
