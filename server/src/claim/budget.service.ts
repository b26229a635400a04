// Limits wrong registration codes per account, and raises an alarm if there are many in total (docs/rules/claiming.md#budget).
import { Gauge } from "prom-client";
import { daysAgo } from "../kit/clock.ts";
import { tooManyRequests } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import * as store from "./claim.store.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const wrongPerHour = 20;
const wrongPerDayOfAll = 1000;

export type ClaimAttempts = {
  left(): number;
  recordWrongCode(): Promise<void>;
};

/** Locks the account's attempts until the commit; throws 429 if they are used up, even for right codes. */
export async function lockClaimAttempts(ctx: Context, tx: Tx, accountId: string): Promise<ClaimAttempts> {
  await store.lockAttempts(tx, accountId);
  const now = ctx.clock.now();
  const wrongCodes = await store.findWrongCodes(tx, accountId, new Date(now - hourMs), wrongPerHour);
  if (wrongCodes.length >= wrongPerHour)
    throw tooManyRequests(((wrongCodes[0]?.getTime() ?? now) + hourMs - now) / 1000);
  let left = wrongPerHour - wrongCodes.length;
  return {
    left: () => left,
    async recordWrongCode() {
      left -= 1;
      await store.insertWrongCode(tx, accountId, new Date(now));
    },
  };
}

const wrongCodeDays = 1;

export const deleteOldWrongCodes = (ctx: Context) => store.deleteWrongCodes(ctx.db, daysAgo(ctx, wrongCodeDays));

/** Reports wrong codes of the last day and the alarm in /metrics. Reads them from the database, because all processes write them. */
export function registerWrongCodeMetrics(ctx: Context): void {
  const gauge = (name: string, help: string, toFigure: (wrongCodes: number) => number) =>
    new Gauge({
      name,
      help,
      registers: [ctx.metrics.registry],
      async collect() {
        const wrongCodes = await store.countWrongCodes(ctx.db, new Date(ctx.clock.now() - dayMs)).catch(() => null);
        // Keeps the last value while the database is unavailable.
        if (wrongCodes !== null) this.set(toFigure(wrongCodes));
      },
    });
  gauge("psp_claim_wrong_codes_day", "Wrong registration codes of the last 24 hours, of all accounts", (n) => n);
  gauge("psp_claim_alarm", `1 when those are ${wrongPerDayOfAll} or more: somebody guesses`, (n) =>
    n >= wrongPerDayOfAll ? 1 : 0,
  );
}
