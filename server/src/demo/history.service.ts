// Generates the demo's past in the background: the simulator produces the counts, which are stored month by month.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Context } from "../context.ts";
import { storeCountsOfMonth } from "../count/past.service.ts";
import { cancelOnAbort, type Database } from "../db/database.ts";
import { utcMonth } from "../count/month.rules.ts";
import { findHistory, findSensorNums, type DemoHistory, lockHistory, saveHistory } from "./history.store.ts";
import { seedSales } from "./sales.seed.ts";
import { historyCredentialsPath } from "./story.seed.ts";

const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
/** Pause after each month, as a share of the time that the month took, so that other work can run. */
const restShare = 0.25;

type Month = { sensor: string; records: CountRecord[] };

export function countMonths({ fromMs, toMs, sensors }: DemoHistory): number {
  return (utcMonth(toMs - 1) - utcMonth(fromMs) + 1) * sensors;
}

/** From 0 to 1; 1 if there is nothing to generate. */
export async function getDemoProgress(ctx: Context): Promise<{ progress: number }> {
  const { on, history: isWanted } = ctx.config.demo;
  const history = on && isWanted ? await findHistory(ctx.db) : null;
  return { progress: history === null ? 1 : Math.min(1, history.done / countMonths(history)) };
}

export type HistoryJob = { finished: Promise<void>; stop(): Promise<void> };

/** Resumes the generation; null if there is nothing to do. */
export async function startHistoryJob(ctx: Context): Promise<HistoryJob | null> {
  const history = await findHistory(ctx.db);
  if (history === null || history.done >= countMonths(history)) return null;
  // The file is missing if the server uses another data folder. The demo then has no past.
  const isThere = await access(historyCredentialsPath(ctx)).then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  const stopping = new AbortController();
  const finished = generatePast(ctx, history, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) ctx.log.error({ err: error }, "the demo's past was not made; the next start goes on");
  });
  return {
    finished,
    async stop() {
      stopping.abort();
      await finished;
    },
  };
}

async function generatePast(ctx: Context, history: DemoHistory, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const nums = await findSensorNums(ctx.db, await sensorIds(historyCredentialsPath(ctx)));
  const args = ["--from", iso(history.fromMs), "--to", iso(history.toMs), "--skip", String(history.done)];
  // The simulator ends when its standard input closes, also when this process is killed.
  const child = spawn(
    process.execPath,
    [simulator, "past", "--credentials", historyCredentialsPath(ctx), ...args, "--exit-with-parent"],
    { stdio: ["pipe", "pipe", "pipe"], signal },
  );
  const db = cancelOnAbort(ctx.db, signal);
  let complaint = "";
  child.stderr.on("data", (text: Buffer) => void (complaint = (complaint + text.toString()).slice(0, 500)));
  const exited = once(child, "exit");
  exited.catch(() => undefined);
  try {
    let next = history.done;
    for await (const line of linesOf(child.stdout)) {
      if (signal.aborted) return;
      const began = performance.now();
      if (!(await storeLine(ctx, db, nums, JSON.parse(line), next))) return;
      next += 1;
      await setTimeout((performance.now() - began) * restShare, undefined, { signal });
    }
    const [code] = await exited;
    if (code !== 0) throw new Error(`The simulator ended with ${code}: ${complaint}`);
    ctx.log.info({ seconds: Math.round((performance.now() - startedAt) / 1000) }, "the demo's past is made");
  } finally {
    child.kill("SIGKILL");
  }
}

/** Stores a month and the progress in one transaction. Returns false if another process has already stored the month. */
async function storeLine(
  ctx: Context,
  db: Database,
  nums: ReadonlyMap<string, number>,
  month: Month,
  place: number,
): Promise<boolean> {
  const num = nums.get(month.sensor);
  return db.transaction().execute(async (tx) => {
    const history = await lockHistory(tx);
    if (history === null || history.done !== place) return false;
    if (num !== undefined) await storeCountsOfMonth(tx, ctx.clock.now(), { num, id: month.sensor }, month.records);
    await saveHistory(tx, { ...history, done: place + 1 });
    if (place + 1 === countMonths(history)) await seedSales(tx, history.toMs, ctx.clock.now());
    return true;
  });
}

/** Splits the stream into lines of about half a megabyte, with backpressure. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, end)]).toString();
      begun = [];
      from = end + 1;
    }
    begun.push(chunk.subarray(from));
  }
}

async function sensorIds(file: string): Promise<string[]> {
  const { sensors } = JSON.parse(await readFile(file, "utf8")) as { sensors: { id: string }[] };
  return sensors.map(({ id }) => id);
}

const iso = (ms: number): string => new Date(ms).toISOString();
