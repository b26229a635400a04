// Limits wrong registration codes per account, and raises an alarm when there are many in total (docs/rules/claiming.md#budget).
import { Gauge } from "prom-client";
import { before } from "../kit/clock.ts";
import { tooMany } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import * as store from "./claim.store.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const wrongPerHour = 20;
const wrongPerDayOfAll = 1000;

export type Tries = {
  /** Wrong codes that may still come before the account has to wait. */
  left(): number;
  /** Notes one more wrong code. */
  miss(): Promise<void>;
};

/** The tries of an account, held until the commit; throws 429 when all are used up, for right codes, too. */
export async function openTries(ctx: Context, tx: Tx, accountId: string): Promise<Tries> {
  await store.lockTries(tx, accountId);
  const now = ctx.clock.now();
  const misses = await store.findMisses(tx, accountId, new Date(now - hourMs), wrongPerHour);
  if (misses.length >= wrongPerHour) throw tooMany(((misses[0]?.getTime() ?? now) + hourMs - now) / 1000);
  let left = wrongPerHour - misses.length;
  return {
    left: () => left,
    async miss() {
      left -= 1;
      await store.insertMiss(tx, accountId, new Date(now));
    },
  };
}

/** Days that wrong registration codes are kept. */
const missDays = 1;

export const forgetMisses = (ctx: Context) => store.deleteMisses(ctx.db, before(ctx, missDays));

/** Wrong codes of the last day and whether they are an alarm, for /metrics: counted where all processes write them. */
export function watchMisses(ctx: Context): void {
  const gauge = (name: string, help: string, toFigure: (misses: number) => number) =>
    new Gauge({
      name,
      help,
      registers: [ctx.metrics.registry],
      async collect() {
        const misses = await store.countMisses(ctx.db, new Date(ctx.clock.now() - dayMs)).catch(() => null);
        // While the database is unavailable the last figure holds.
        if (misses !== null) this.set(toFigure(misses));
      },
    });
  gauge("psp_claim_wrong_codes_day", "Wrong registration codes of the last 24 hours, of all accounts", (n) => n);
  gauge("psp_claim_alarm", `1 when those are ${wrongPerDayOfAll} or more: somebody guesses`, (n) =>
    n >= wrongPerDayOfAll ? 1 : 0,
  );
}
