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
import { createBatcher } from "../db/connection/batcher.ts";
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
  /** The same for many sessions, by session id. Ended ones are missing. */
  byIds(sessionIds: Iterable<string>): Promise<Map<string, SessionActor>>;
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

  function remember(row: store.FoundSession, before: number): Entry {
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

  /** The actors of those sessions that have not ended. Stores that they were used. */
  async function alive(entries: readonly Entry[]): Promise<SessionActor[]> {
    const now = ctx.clock.now();
    const living = entries.filter(
      ({ expiresAt, touchedAt }) => now < expiresAt && now - touchedAt < sessionLimits.idleMs,
    );
    const used = living.filter(({ touchedAt }) => now - touchedAt >= touchEveryMs);
    for (const entry of used) entry.touchedAt = now;
    const actors = living.map(({ actor }) => actor);
    if (used.length > 0)
      await store.touchSessions(
        ctx.db,
        used.map(({ actor }) => actor),
        new Date(now),
      );
    return actors;
  }

  const findByHash = createBatcher(async (hashes: Buffer[]) => {
    const rows = await store.findSessionsByToken(ctx.db, hashes);
    return new Map(rows.map(({ tokenHash, ...row }) => [tokenHash.toString("base64"), row]));
  });

  async function byToken(token: string): Promise<SessionActor | null> {
    if (token.length < 20 || token.length > 200) return null;
    const hash = hashToken(token);
    const key = hash.toString("base64");
    const known = cache.get(byHash.get(key) ?? "");
    const before = generation;
    const row = known ? undefined : (await findByHash(hash)).get(key);
    const entry = known ?? (row && remember(row, before));
    if (!entry) return null;
    const { sessionId } = entry.actor;
    if (!known && cache.has(sessionId)) byHash.set(key, sessionId);
    const [actor] = await alive([entry]);
    return actor ?? null;
  }

  async function byIds(sessionIds: Iterable<string>): Promise<Map<string, SessionActor>> {
    const ids = [...new Set(sessionIds)];
    const known = ids.flatMap((id) => cache.get(id) ?? []);
    const unknown = ids.filter((id) => !cache.has(id));
    const before = generation;
    const rows = unknown.length === 0 ? [] : await store.findSessions(ctx.db, unknown);
    // Rights may have changed meanwhile, also of those that were in the cache.
    const isOutdated = before !== generation && known.length > 0;
    const entries = isOutdated
      ? (await store.findSessions(ctx.db, ids)).map((row) => remember(row, before))
      : [...known, ...rows.map((row) => remember(row, before))];
    return new Map((await alive(entries)).map((actor) => [actor.sessionId, actor]));
  }

  return {
    forget,
    byToken,
    byId: async (sessionId) => (await byIds([sessionId])).get(sessionId) ?? null,
    byIds,
  };
}
