// Finds the actor of a session token, which is stored hashed, and ends sessions.
import { sessionLimits } from "@psp/contract/auth/auth.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import { withOwnAccountView } from "@psp/contract/permission/permissions.ts";
import type { Caller, SessionActor } from "../kit/caller.ts";
import { hashToken } from "../kit/tokens.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { daysAgo } from "../kit/clock.ts";
import type { Leases } from "../open/lease.ts";
import { announcing, type UnitOfWork } from "../db/write.ts";
import * as store from "./session.store.ts";

/** Deletes sessions. The event after the commit ends their calls and sockets (docs/rules/sessions.md#end-of-a-session). */
export async function endSessions(w: Pick<UnitOfWork, "tx" | "announce">, where: store.SessionFilter): Promise<void> {
  const sessionIds = await store.deleteSessions(w.tx, where);
  if (sessionIds.length > 0) w.announce({ name: "sessionsEnded", event: { sessionIds } });
}

/** Throws 106 if the session has ended, else locks it until the commit. For writes at the end of long work. */
export async function requireSession(ctx: Context, tx: Tx, caller: Caller): Promise<void> {
  if (!(await store.lockOpenSession(tx, caller.sessionId, ctx.clock.date())))
    throw new AppError(errorCode.unauthorized);
}

const browserDays = 400;

export async function deleteEndedSessions(ctx: Context): Promise<void> {
  const now = ctx.clock.date();
  await announcing(ctx, async (tx, announce) => {
    const sessionIds = await store.deleteExpiredSessions(tx, now, new Date(now.getTime() - sessionLimits.idleMs));
    // Without this event, a socket that only receives would outlive its session.
    if (sessionIds.length > 0) announce({ name: "sessionsEnded", event: { sessionIds } });
  });
  await store.deleteExpiredTicketsAndBrowsers(ctx.db, now, daysAgo(ctx, browserDays));
}

export type SessionService = {
  byToken(token: string): Promise<SessionActor | null>;
  /** Returns the actor with current rights, or null if the session has ended. */
  byId(sessionId: string): Promise<SessionActor | null>;
  forget(): void;
};

type Entry = { actor: SessionActor; expiresAt: number; touchedAt: number };
const touchEveryMs = 60_000;
const maxCached = 20_000;

/**
 * Caches actors per session. Bus events that may change actors clear the cache before the changing call gets its response, so that
 * lost rights take effect at the next call. Announcements carry these events to other processes.
 */
export function createSessionService(ctx: Context, leases: Pick<Leases, "registerCache">): SessionService {
  const cache = new Map<string, Entry>();
  const byHash = new Map<string, string>();
  let generation = 0;
  const forget = () => {
    generation += 1;
    cache.clear();
    byHash.clear();
  };
  leases.registerCache((change) => {
    if (change.kind === "displays") return;
    if (change.kind !== "entity" || change.event.type === "account" || change.event.type === "role") forget();
  });

  async function load(column: "token_hash" | "id", value: Buffer | string): Promise<Entry | null> {
    const before = generation;
    const row = await store.findSession(ctx.db, column, value);
    if (!row) return null;
    const { lastUsedAt, expiresAt, permissions, ...rest } = row;
    const entry: Entry = {
      actor: { ...rest, permissions: permissions ? withOwnAccountView(permissions) : null },
      expiresAt: expiresAt.getTime(),
      touchedAt: lastUsedAt.getTime(),
    };
    if (before === generation) {
      if (cache.size >= maxCached) forget();
      cache.set(entry.actor.sessionId, entry);
    }
    return entry;
  }

  async function alive(entry: Entry | null): Promise<SessionActor | null> {
    if (!entry) return null;
    const now = ctx.clock.now();
    if (now >= entry.expiresAt || now - entry.touchedAt >= sessionLimits.idleMs) return null;
    if (now - entry.touchedAt >= touchEveryMs) {
      entry.touchedAt = now;
      await store.touchSession(ctx.db, entry.actor, new Date(now));
    }
    return entry.actor;
  }

  async function byToken(token: string): Promise<SessionActor | null> {
    if (token.length < 20 || token.length > 200) return null;
    const hash = hashToken(token);
    const key = hash.toString("base64");
    const known = cache.get(byHash.get(key) ?? "");
    if (known) return alive(known);
    const entry = await load("token_hash", hash);
    if (entry && cache.has(entry.actor.sessionId)) byHash.set(key, entry.actor.sessionId);
    return alive(entry);
  }

  return {
    forget,
    byToken,
    byId: async (sessionId) => alive(cache.get(sessionId) ?? (await load("id", sessionId))),
  };
}
