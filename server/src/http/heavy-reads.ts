// Limits concurrent reads that may take seconds in the database, and cancels them when the client leaves. A replica may answer them.
import type { FastifyReply } from "fastify";
import type { Context } from "../context.ts";
import type { Caller, LongCall } from "../kit/caller.ts";
import { createFairSemaphore, createKeyedSemaphore } from "../kit/limits/semaphores.ts";
import { disconnectSignal } from "./long-calls.ts";

const maxPerAccount = 3;
/** Limits concurrent streams of files, because each one loads the database. */
const maxStreams = { max: 40, maxPerKey: 2, retryAfterS: 1 };
/** A page makes several heavy reads at once, and an account may have many pages open. */
const maxWaiting = { maxWaitingPerKey: 50, maxWaiting: 500 };

/**
 * For the data of a stream, whose statement is canceled when the client leaves or the call ends; rights are checked with the context of the
 * process. Streams have separate slots.
 */
export function forStream(ctx: Context, reply: FastifyReply, { signal }: LongCall): Context {
  return { ...ctx, db: ctx.replica.open(AbortSignal.any([signal, disconnectSignal(reply)])) };
}

type Read<Input, Output> = (ctx: Context, caller: Caller, input: Input) => Promise<Output>;

export type HeavyReads = ReturnType<typeof createHeavyReads>;

export function createHeavyReads(ctx: Context) {
  // Half of the pool stays free for other queries.
  const max = Math.max(1, Math.floor(ctx.config.database.pool / 2));
  const slots = createFairSemaphore({ max, maxPerKey: maxPerAccount, ...maxWaiting });

  /** Waits for a slot; `signal` ends the wait and cancels the statement. Throws 429 when too many wait. */
  async function run<T>(key: string, signal: AbortSignal, read: (ctx: Context) => Promise<T>): Promise<T> {
    const leave = await slots.enter(key, signal);
    try {
      return await ctx.replica.read((db) => read({ ...ctx, db }), signal);
    } catch (error) {
      // PostgreSQL reports the canceled statement as an error.
      signal.throwIfAborted();
      throw error;
    } finally {
      leave();
    }
  }

  return {
    run,
    streams: createKeyedSemaphore(maxStreams),
    handler:
      <Input, Output>(read: Read<Input, Output>) =>
      (caller: Caller, input: Input, { reply }: { reply: FastifyReply }): Promise<Output> =>
        run(caller.id, disconnectSignal(reply), (own) => read(own, caller, input)),
  };
}
