// Sessions as others deal with them: whoever changes a password, a login or an account ends them, and long work asks at its end.
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import type { Write } from "../db/write.ts";
import { deleteSessions, holdSession, type SessionsWhere } from "./session.store.ts";

/** Deletes the sessions and tells everybody after the commit: REST at the next call, the socket at once (decisions 4). */
export async function endSessions(w: Pick<Write, "tx" | "announce">, where: SessionsWhere): Promise<void> {
  const sessionIds = await deleteSessions(w.tx, where);
  if (sessionIds.length > 0) w.announce({ name: "sessionsEnded", event: { sessionIds } });
}

/** For what began long before it is stored: the session must still be there (106), and stays until the commit. */
export async function requireSession(ctx: Context, tx: Tx, caller: Caller): Promise<void> {
  if (!(await holdSession(tx, caller.sessionId, ctx.clock.date()))) throw new AppError(106);
}
