// Discards what can no longer be used, every hour: each noun says what of its own that is.
import type { Context } from "../context.ts";
import type { Job } from "./scheduler.ts";

const hourMs = 3_600_000;

export type Housekeeping = (ctx: Context) => Promise<void>;

export function housekeepingJob(ctx: Context, nouns: readonly Housekeeping[]): Job {
  return {
    name: "housekeeping",
    everyMs: hourMs,
    async run() {
      for (const clean of nouns) await clean(ctx);
    },
  };
}

/** This long ago. */
export const before = (ctx: Context, days: number): Date => new Date(ctx.clock.now() - days * 24 * hourMs);
