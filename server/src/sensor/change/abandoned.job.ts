// Deletes sensors that were registered by hand and whose device never enrolled, so that no account holds an id forever.
import type { Context } from "../../context.ts";
import { write } from "../../db/write.ts";
import type { Job } from "../../kit/job.ts";
import { findUnenrolledSensors, lockUnenrolledSensors } from "./assignment.store.ts";
import { deleteSensors, createPreAuthorizedRequest } from "./change.service.ts";

const hourMs = 3_600_000;
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

async function deleteSome(ctx: Context): Promise<number> {
  const author = { system: "abandoned sensors" };
  return write(ctx, author, async (w) => {
    const tooLong = new Date(ctx.clock.now() - awaitedMs);
    const due = await findUnenrolledSensors(w.tx, tooLong, partSize);
    if (due.length === 0) return 0;
    const ids = await lockUnenrolledSensors(w.tx, due, tooLong);
    await deleteSensors(
      ctx,
      w,
      createPreAuthorizedRequest(ctx, author, ids),
      "The sensor did not connect for the first time within 30 days.",
    );
    return due.length;
  });
}
