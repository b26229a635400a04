// The server's context in the process of a benchmark, so that a job can be measured alone.
import { pino } from "pino";
import "../server/src/db/tables.ts";
import { readConfig } from "../server/src/config.ts";
import { type Context, createContext as createServerContext } from "../server/src/context.ts";
import { partitionJob } from "../server/src/count/partition/partition.job.ts";
import { openDatabase } from "../server/src/db/database.ts";

export function createContext(databaseUrl: string, pool: number): Context {
  const log = pino({ level: "silent" });
  return createServerContext({
    config: readConfig({
      HOST: "127.0.0.1",
      SESSION_SECRET: "s".repeat(40),
      DISPLAY_PRIVATE_KEY: "d".repeat(40),
      FIRMWARE_SIGNING_KEY: "f".repeat(40),
    }),
    db: openDatabase(databaseUrl, { pool, log }),
    log,
  });
}

/** Makes the partitions of counts, which a product without the part `worker` lacks. */
export async function makePartitions(databaseUrl: string): Promise<void> {
  const ctx = createContext(databaseUrl, 2);
  await partitionJob(ctx).run();
  await ctx.db.destroy();
}
