// Makes the demo's past in the background: the simulator says what its sensors counted, and here it is stored, month by month.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Context } from "../context.ts";
import { storeCountsOfMonth } from "../count/past.service.ts";
import { utcMonth } from "../count/month.rules.ts";
import { findHistory, findSensorNums, type History, lockHistory, saveHistory } from "./history.store.ts";
import { pastFile } from "./story.seed.ts";

const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
/** After each month of a sensor others get this share of the time that it took, at least. */
const restShare = 0.25;

type Month = { sensor: string; records: CountRecord[] };

/** How many months of sensors there are to make. */
export function monthsOf({ fromMs, toMs, sensors }: History): number {
  return (utcMonth(toMs - 1) - utcMonth(fromMs) + 1) * sensors;
}

/** From 0 to 1; 1 where nothing is to be made. */
export async function demoProgress(ctx: Context): Promise<{ progress: number }> {
  const { on, history: isWanted } = ctx.config.demo;
  const history = on && isWanted ? await findHistory(ctx.db) : null;
  return { progress: history === null ? 1 : Math.min(1, history.done / monthsOf(history)) };
}

export type HistoryMaker = { finished: Promise<void>; stop(): Promise<void> };

/** Goes on with the past where it was left; null when there is nothing to do. */
export async function startHistory(ctx: Context): Promise<HistoryMaker | null> {
  const history = await findHistory(ctx.db);
  if (history === null || history.done >= monthsOf(history)) return null;
  // Another data folder, as with the fleet: the world stays without a past.
  const isThere = await access(pastFile(ctx)).then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  const stopping = new AbortController();
  const finished = make(ctx, history, stopping.signal).catch((error: unknown) => {
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

async function make(ctx: Context, history: History, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const nums = await findSensorNums(ctx.db, await sensorIds(pastFile(ctx)));
  const args = ["--from", iso(history.fromMs), "--to", iso(history.toMs), "--skip", String(history.done)];
  // Its standard input is its link to us: when we are killed it closes, and the simulator ends.
  const child = spawn(
    process.execPath,
    [simulator, "past", "--credentials", pastFile(ctx), ...args, "--exit-with-parent"],
    { stdio: ["pipe", "pipe", "pipe"], signal },
  );
  let complaint = "";
  child.stderr.on("data", (text: Buffer) => void (complaint = (complaint + text.toString()).slice(0, 500)));
  const exited = once(child, "exit");
  exited.catch(() => undefined);
  try {
    let next = history.done;
    for await (const line of linesOf(child.stdout)) {
      if (signal.aborted) return;
      const began = performance.now();
      if (!(await storeLine(ctx, nums, JSON.parse(line), next))) return;
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

/** Stores a month of a sensor and, in the same transaction, that it is done; false when another process is at it. */
async function storeLine(
  ctx: Context,
  nums: ReadonlyMap<string, number>,
  month: Month,
  place: number,
): Promise<boolean> {
  const num = nums.get(month.sensor);
  return ctx.db.transaction().execute(async (tx) => {
    const history = await lockHistory(tx);
    if (history === null || history.done !== place) return false;
    if (num !== undefined) await storeCountsOfMonth(tx, ctx.clock.now(), { num, id: month.sensor }, month.records);
    await saveHistory(tx, { ...history, done: place + 1 });
    return true;
  });
}

/** Lines of half a megabyte each, taken one at a time: the simulator waits for the reader, and nothing piles up. */
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
