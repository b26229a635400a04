// Makes the partitions of the coming weeks, and drops those of months that are packed (docs/rules/counts.md#partitions).
import type { Context } from "../../context.ts";
import { cancelOnAbort, type Database } from "../../db/database.ts";
import { isLockTimeout, retryLocked } from "../../db/lock-retry.ts";
import type { Job } from "../../kit/job.ts";
import { utcMonth } from "../month.rules.ts";
import { computePackingLimit } from "../pack.store.ts";
import { closeRest, isClosing } from "./close-rest.store.ts";
import { countHot, countPack, createPast, findMissing, type PartitionedTable } from "./partition.rules.ts";
import { dropEmptyPartition, hasManyRows, isRestSmall, listPartitions, makePartition } from "./partition.store.ts";

/** Per partition and run. In between, the statements that wait for the lock pass. */
const lockTries = 3;

export function partitionJob(ctx: Context): Job {
  return {
    name: "count partitions",
    everyMs: 6 * 3_600_000,
    async run(stopping = new AbortController().signal) {
      const db = cancelOnAbort(ctx.db, stopping);
      const nowMs = ctx.clock.now();
      const failures: unknown[] = [];
      const attempt = async (work: () => Promise<unknown>) => {
        if (stopping.aborted) return;
        await retryLocked(work, undefined, lockTries).catch((error: unknown) => {
          if (stopping.aborted) return;
          if (isLockTimeout(error)) ctx.log.info("partitions of counts are in use and will be changed later");
          else failures.push(error);
        });
      };
      for (const table of [countHot, countPack]) {
        if (await mustClose(db, table)) await attempt(() => closeRest(db, table, createPast(table, nowMs)));
        else if (await isRestSmall(db, table)) await makeMissing(db, table, nowMs, attempt);
      }
      const packedTo = countHot.toKey(utcMonth(computePackingLimit(nowMs)));
      for (const partition of await listPartitions(db, countHot))
        if (partition.to <= packedTo) await attempt(() => dropEmptyPartition(db, countHot, partition));
      if (failures.length > 0) throw new AggregateError(failures, "Partitions of counts could not be changed");
    },
  };
}

/** Packs are never dropped, so their first partition may take all of the past. */
async function mustClose(db: Database, table: PartitionedTable): Promise<boolean> {
  if (await isClosing(db, table)) return true;
  if ((await listPartitions(db, table)).length > 0) return false;
  return table === countPack || !(await isRestSmall(db, table));
}

async function makeMissing(
  db: Database,
  table: PartitionedTable,
  nowMs: number,
  attempt: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const missing = findMissing(table, await listPartitions(db, table), computePackingLimit(nowMs), nowMs);
  for (const partition of missing)
    if (!(await hasManyRows(db, table, partition))) await attempt(() => makePartition(db, table, partition));
}
