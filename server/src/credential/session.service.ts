// Sessions as others deal with them: a change of a password, a login or an account ends them, and long work asks at its end.
import { sessionLimits } from "@psp/contract/auth/auth.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { before } from "../jobs/housekeeping.ts";
import type { Write } from "../db/write.ts";
import {
  deleteExpiredSessions,
  deleteSessions,
  deleteSpent,
  holdSession,
  type SessionsWhere,
} from "./session.store.ts";

/** Deletes the sessions and announces it after the commit: REST at the next call, the socket at once (decisions 4). */
export async function endSessions(w: Pick<Write, "tx" | "announce">, where: SessionsWhere): Promise<void> {
  const sessionIds = await deleteSessions(w.tx, where);
  if (sessionIds.length > 0) w.announce({ name: "sessionsEnded", event: { sessionIds } });
}

/** For what began long before it is stored: the session must still be there (106), and stays until the commit. */
export async function requireSession(ctx: Context, tx: Tx, caller: Caller): Promise<void> {
  if (!(await holdSession(tx, caller.sessionId, ctx.clock.date()))) throw new AppError(106);
}

const browserDays = 400;

/** Ended sessions, spent tickets, forgotten browsers. */
export async function forgetEnded(ctx: Context): Promise<void> {
  const now = ctx.clock.date();
  const sessionIds = await deleteExpiredSessions(ctx.db, now, new Date(now.getTime() - sessionLimits.idleMs));
  // A socket that only listens would outlive its session.
  if (sessionIds.length > 0) ctx.bus.emit({ name: "sessionsEnded", event: { sessionIds } });
  await deleteSpent(ctx.db, now, before(ctx, browserDays));
}
