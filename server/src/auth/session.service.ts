// Ending sessions from anywhere: whoever changes a password, a credential or an account says whose sessions are over.
import type { Write } from "../db/write.ts";
import { deleteSessions, type SessionsWhere } from "./auth.store.ts";

/** Deletes the sessions and tells everybody after the commit: REST at the next call, the socket at once (decisions 4). */
export async function endSessions(w: Pick<Write, "tx" | "announce">, where: SessionsWhere): Promise<void> {
  const sessionIds = await deleteSessions(w.tx, where);
  if (sessionIds.length > 0) w.announce({ name: "sessionsEnded", event: { sessionIds } });
}
