// Starts to count records from fast clocks when their time arrives; runs every minute.
import type { Context } from "../../context.ts";
import { announcing } from "../../db/write.ts";
import { saveDeadLetters } from "../../device/record/dead-letter.store.ts";
import { requestDeviceChecks } from "../../device/device-check.store.ts";
import type { Job } from "../../kit/job.ts";
import { includeDueCounts, includeDueOtherRecords } from "./ahead.store.ts";

export function futureRecordsJob(ctx: Context): Job {
  return {
    name: "records ahead of time",
    everyMs: 60_000,
    async run(stopping) {
      const nowMs = ctx.clock.now();
      for (let more = true; more && !stopping?.aborted;) {
        const included = await announcing(ctx, async (tx, announce) => {
          const done = await includeDueCounts(tx, nowMs);
          await saveDeadLetters(tx, nowMs, done.displaced);
          await requestDeviceChecks(
            tx,
            done.displaced.map(({ sensor }) => sensor.num),
            new Date(nowMs),
          );
          if (done.counts.length > 0) announce({ name: "countsStored", event: { counts: done.counts } });
          return done;
        });
        ({ more } = included);
      }
      while (!stopping?.aborted && (await includeDueOtherRecords(ctx.db, nowMs)));
    },
  };
}
