// Reads that may take the database for seconds: a few at the same time for each account and in all, and none for clients that left.
import type { FastifyReply } from "fastify";
import type { Context } from "../context.ts";
import { cancelOn } from "../db/database.ts";
import type { Caller, LongCall } from "../kit/caller.ts";
import { createFairSemaphore } from "../kit/limits/semaphores.ts";
import { leavingOf } from "./long-calls.ts";

const maxPerAccount = 3;
/** A page asks for several at once, and an account has many pages open. */
const maxWaiting = { maxWaitingPerKey: 50, maxWaiting: 500 };

/** For a stream, which has slots of its own: its statement ends with its client, and with what it relies on. */
export function endingWith(ctx: Context, reply: FastifyReply, { signal }: LongCall): Context {
  return { ...ctx, db: cancelOn(ctx.db, AbortSignal.any([signal, leavingOf(reply)])) };
}

type Read<Input, Output> = (ctx: Context, caller: Caller, input: Input) => Promise<Output>;

export type HeavyReads = ReturnType<typeof createHeavyReads>;

export function createHeavyReads(ctx: Context) {
  // Half of the connections stay for everything else.
  const max = Math.max(1, Math.floor(ctx.config.database.pool / 2));
  const slots = createFairSemaphore({ max, maxPerKey: maxPerAccount, ...maxWaiting });

  /** Runs when there is a slot; `signal` ends the waiting and the statement under way. Throws 429 when too many wait. */
  async function run<T>(key: string, signal: AbortSignal, read: (ctx: Context) => Promise<T>): Promise<T> {
    const leave = await slots.enter(key, signal);
    try {
      return await read({ ...ctx, db: cancelOn(ctx.db, signal) });
    } catch (error) {
      // What PostgreSQL says about a statement that was canceled is no failure.
      signal.throwIfAborted();
      throw error;
    } finally {
      leave();
    }
  }

  return {
    run,
    /** A handler that is such a read, for as long as its client waits. */
    handler:
      <Input, Output>(read: Read<Input, Output>) =>
      (caller: Caller, input: Input, { reply }: { reply: FastifyReply }): Promise<Output> =>
        run(caller.id, leavingOf(reply), (own) => read(own, caller, input)),
  };
}
