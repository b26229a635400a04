// Throws away what nobody can use any more: ended sessions, spent tickets, old idempotency keys, wrong codes of days past, dead letters of a month past, sent mails, forgotten browsers.
import { sessionLimits } from "@psp/contract/auth/auth.ts";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Job } from "./scheduler.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** How long an idempotency key is honoured (decisions 3). */
const keysMs = dayMs;
/** How far back wrong registration codes are counted (decisions 13). */
const codesMs = dayMs;
/** How long what a sensor sent in vain can be looked at (decisions 15). */
const lettersMs = 30 * dayMs;
const mailsMs = 30 * dayMs;
const browsersMs = 400 * dayMs;

export function housekeepingJob(ctx: Context): Job {
  return {
    name: "housekeeping",
    everyMs: hourMs,
    async run() {
      const now = ctx.clock.now();
      const before = (ageMs: number) => new Date(now - ageMs);
      const ended = await ctx.db
        .deleteFrom("session")
        .where((eb) =>
          eb.or([eb("expires_at", "<=", before(0)), eb("last_used_at", "<=", before(sessionLimits.idleMs))]),
        )
        .returning("id")
        .execute();
      // A socket that only listens would outlive its session.
      if (ended.length > 0) ctx.bus.emit({ name: "sessionsEnded", event: { sessionIds: ended.map(({ id }) => id) } });
      await ctx.db.deleteFrom("ticket").where("expires_at", "<=", before(0)).execute();
      await ctx.db.deleteFrom("idempotency").where("created_at", "<=", before(keysMs)).execute();
      await ctx.db.deleteFrom("known_browser").where("last_used_at", "<=", before(browsersMs)).execute();
      await sql`delete from claim_miss where at <= ${before(codesMs)}`.execute(ctx.db);
      await ctx.db.deleteFrom("dead_letter").where("at", "<=", before(lettersMs)).execute();
      await ctx.db.deleteFrom("mail_outbox").where("sent_at", "<=", before(mailsMs)).execute();
      // Given up: never to be sent, and not before the end of time.
      await ctx.db
        .deleteFrom("mail_outbox")
        .where("sent_at", "is", null)
        .where("not_before", "=", sql<Date>`'infinity'`)
        .where("queued_at", "<=", before(mailsMs))
        .execute();
    },
  };
}
