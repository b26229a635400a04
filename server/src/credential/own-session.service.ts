// Lists and ends the caller's sessions (ADR 0009).
import { type ActiveSession, sessionLimits } from "@psp/contract/auth/auth.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { type UnitOfWork, write } from "../db/write.ts";
import { describeClient } from "./client-name.rules.ts";
import { endSessions } from "./session.service.ts";
import * as store from "./session.store.ts";

/** Lists the open sessions of the caller's login, the current one first. */
export async function listSessions(ctx: Context, caller: Caller): Promise<ActiveSession[]> {
  const now = ctx.clock.now();
  const idleSince = new Date(now - sessionLimits.idleMs);
  const rows = await store.findOpenSessions(ctx.db, caller.credentialId, new Date(now), idleSince);
  const sessions = rows.map((row) => {
    const { createdAt, lastSeenAt, client } = useOf(row);
    const expiresAt = row.expires_at.toISOString();
    return { _id: row.id, current: row.id === caller.sessionId, createdAt, lastSeenAt, expiresAt, client };
  });
  return sessions.toSorted((a, b) => Number(b.current) - Number(a.current));
}

export async function requireOwnSession(ctx: Context, caller: Caller, id: string): Promise<void> {
  const open = await listSessions(ctx, caller);
  if (!open.some(({ _id }) => _id === id)) throw new AppError(errorCode.notFound);
}

/** Throws 105 unless the session belongs to the caller's login. */
export async function endSession(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    if ((await end(w, caller, { only: id })) === 0) throw new AppError(errorCode.notFound);
    return { _id: id };
  });
}

export async function endOtherSessions(ctx: Context, caller: Caller): Promise<{ ended: number }> {
  return write(ctx, caller, async (w) => ({ ended: await end(w, caller, { but: caller.sessionId }) }));
}

async function end(w: UnitOfWork, caller: Caller, which: Parameters<typeof store.lockSessions>[2]): Promise<number> {
  const sessions = await store.lockSessions(w.tx, caller.credentialId, which);
  for (const session of sessions) {
    await endSessions(w, { sessionId: session.id });
    const object = { type: "account", _id: caller.id };
    w.audit({ action: "endSession", object, owner: caller, before: { session: session.id, ...useOf(session) } });
  }
  return sessions.length;
}

function useOf({ created_at, last_used_at, user_agent }: store.StoredSession) {
  const [createdAt, lastSeenAt] = [created_at.toISOString(), last_used_at.toISOString()];
  return { createdAt, lastSeenAt, client: describeClient(user_agent) };
}
