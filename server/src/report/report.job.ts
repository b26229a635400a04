// Makes due reports, and records which of their mails were sent or refused.
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import type { Job } from "../kit/job.ts";
import { findMailOutcomes } from "../mail/mail.store.ts";
import { markRefused } from "./recipient/recipient.store.ts";
import { createDueRuns } from "./run/due.service.ts";
import { createSharedReports } from "./run/report-data.service.ts";
import { makeNextRun } from "./run/run.service.ts";
import { findQueuedDeliveries, saveDeliveries } from "./run/run.store.ts";

/** Cheap, because both queries use an index. */
const everyMs = 1000;
/** Concurrent runs per process. More would not be faster, because generating files is CPU-bound. */
const maxLanes = 3;

export function reportJob(ctx: Context): Job {
  return {
    name: "report",
    everyMs,
    async run(stopping) {
      while (!(await createDueRuns(ctx))) if (stopping?.aborted) return;
      const shared = createSharedReports(ctx);
      const lane = async () => {
        while (!stopping?.aborted && (await makeNextRun(ctx, shared)));
      };
      // Each run holds a connection and reads with another one, so most of the pool stays free.
      const lanes = Math.max(1, Math.min(maxLanes, Math.floor(ctx.config.database.pool / 3)));
      await Promise.all(Array.from({ length: lanes }, lane));
    },
  };
}

const deliveriesEveryMs = 60_000;
const atOnce = 500;

export function deliveryJob(ctx: Context): Job {
  return {
    name: "report deliveries",
    everyMs: deliveriesEveryMs,
    async run(stopping) {
      for (let after: string | null = null; ;) {
        const queued: Awaited<ReturnType<typeof findQueuedDeliveries>> = await findQueuedDeliveries(
          ctx.db,
          after,
          atOnce,
        );
        await settle(ctx, queued);
        after = queued.at(-1)?.mailId ?? null;
        if (queued.length < atOnce || stopping?.aborted) return;
      }
    },
  };
}

/** Recipients whom the mail server refuses for good get no more mails. A mail that was given up for another reason changes nothing. */
async function settle(ctx: Context, queued: Awaited<ReturnType<typeof findQueuedDeliveries>>): Promise<void> {
  const outcomes = await findMailOutcomes(
    ctx.db,
    queued.map(({ mailId }) => mailId),
  );
  if (outcomes.length === 0) return;
  const refused = new Set(outcomes.filter(({ isRefused }) => isRefused).map(({ id }) => id));
  await write(ctx, { system: "report" }, async (w) => {
    await saveDeliveries(
      w.tx,
      outcomes.map(({ id, isSent, error }) => ({
        mailId: id,
        state: isSent ? "sent" : "refused",
        reason: isSent ? null : error,
      })),
    );
    const lost = queued.filter(({ mailId }) => refused.has(mailId));
    for (const [reportId, some] of Map.groupBy(lost, (one) => one.reportId))
      await markRefused(
        w.tx,
        reportId,
        some.map(({ email }) => email),
        ctx.clock.date(),
      );
  });
}
