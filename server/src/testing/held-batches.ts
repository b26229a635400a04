// Delays the execution of requested batches, so that tests can act in between.
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { sensorBatchJob } from "../sensor/batch/batch.job.ts";
import { until } from "./devices/device-world.ts";
import { untilSomebodyWaits } from "./waiting.ts";

/** Equals the number of concurrent batch parts per process. */
const turns = 2;

/**
 * Occupies all slots of this process with an empty batch: later batches are stored but not executed before `release`. Any existing account
 * will do.
 */
export async function holdBatches(ctx: Context, accountId: string): Promise<{ release: () => Promise<void> }> {
  const { db, clock } = ctx;
  const id = uuidv7(clock.now());
  const at = clock.date();
  await db
    .insertInto("sensor_batch")
    .values({
      id,
      account_id: accountId,
      request_id: "held",
      key: null,
      kind: "update",
      changes: "{}",
      asked_mark: "0",
      ids: ["no-sensor"],
      total: 1,
      started_at: at,
      touched_at: new Date(0),
    })
    .execute();
  const [held, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.transaction().execute(async (tx) => {
    await sql`select from sensor_batch where id = ${id} for update`.execute(tx);
    held.resolve();
    await freed.promise;
    await sql`delete from sensor_batch where id = ${id}`.execute(tx);
  });
  await held.promise;
  const working = Array.from({ length: turns }, () => sensorBatchJob(ctx).run());
  await untilSomebodyWaits(db, turns);
  return {
    async release() {
      freed.resolve();
      await holding;
      await Promise.all(working);
    },
  };
}

export async function untilRequested(ctx: Context, accountId: string): Promise<void> {
  await until("a batch is noted", () =>
    ctx.db
      .selectFrom("sensor_batch")
      .select("id")
      .where("account_id", "=", accountId)
      .where("finished_at", "is", null)
      .where("request_id", "<>", "held")
      .executeTakeFirst(),
  );
}
