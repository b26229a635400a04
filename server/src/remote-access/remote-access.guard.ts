// Admits browsers to device pages and watches their open sessions (PC-01).
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import type { LongCalls } from "../http/long-calls.ts";
import { entityUpdated } from "../kit/bus.ts";
import type { Caller, SessionActor } from "../kit/caller.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import { getOwner } from "../owned/owner.ts";
import type { PageSessions } from "../proxy/page-session.ts";
import { createSessionWatch, type OpenSession } from "./open-session.guard.ts";
import * as service from "./remote-access.service.ts";
import * as store from "./remote-access.store.ts";

export type RemoteAccessGuard = PageSessions & { missed(): Promise<void>; stop(): void };

/** `people` finds console sessions. */
export function createRemoteAccessGuard(
  ctx: Context,
  people: { byId(sessionId: string): Promise<SessionActor | null> },
  longCalls: LongCalls,
): RemoteAccessGuard {
  /** Open sessions by the hash of their cookie, as promises because a session may still be loading. */
  const open = new Map<string, Promise<OpenSession | null>>();
  const keyOf = (hash: Buffer) => hash.toString("base64");

  const callerOf = async (sessionId: string): Promise<Caller | null> => {
    const actor = await people.byId(sessionId);
    return actor && { ...actor, request: { id: "remote-access", idempotency: null, ifMatch: null } };
  };
  const watch = createSessionWatch(ctx, callerOf, longCalls);

  function find(hash: Buffer): Promise<OpenSession | null> {
    const key = keyOf(hash);
    const known = open.get(key);
    if (known) return known;
    const loading = watch(hash, () => open.delete(key)).then(
      (one) => {
        if (!one || one.session.ended.aborted) open.delete(key);
        return one?.session.ended.aborted ? null : one;
      },
      (error: unknown) => {
        open.delete(key);
        throw error;
      },
    );
    open.set(key, loading);
    return loading;
  }

  /** Finds the first unexpired session for this sensor among the cookies. */
  async function current(label: string, cookies: readonly string[]): Promise<OpenSession | null> {
    for (const cookie of cookies) {
      const hash = hashToken(cookie);
      let one = await find(hash);
      if (one && ctx.clock.now() >= one.untilMs) {
        // Reloads the session, which may have been extended.
        one.end();
        one = await find(hash);
      }
      if (one?.label === label) return one;
    }
    return null;
  }

  /** Ends the matching sessions; one that is being loaded ends once it is loaded. */
  function endWhere(isMeant: (one: OpenSession) => boolean) {
    for (const loading of open.values())
      void loading.then(
        (one) => one && isMeant(one) && one.end(),
        () => undefined,
      );
  }

  const off = ctx.bus.on("remoteSessionsEnded", ({ ids }) => {
    const ended = new Set(ids);
    endWhere(({ id }) => ended.has(id));
  });

  return {
    async exchangeToken(label, token, cookies) {
      const now = ctx.clock.date();
      const tokenHash = hashToken(token);
      const row = await store.findSessionByToken(ctx.db, tokenHash, label, now);
      const caller = row && (await callerOf(row.session_id));
      if (!row || !caller) return null;
      // The person's previous session in this browser is replaced, so that older windows continue with the new one.
      const former = await current(label, cookies);
      const cookie = randomToken();
      const cookieHash = hashToken(cookie);
      const owner = await getOwner(ctx.db, row.owner_id);
      const opened = await write(ctx, caller, async (w) => {
        if (!(await store.openSession(w.tx, row.id, { tokenHash, cookieHash, now }))) return false;
        const asked = { mode: row.mode, reason: row.reason, minutes: row.minutes };
        service.auditSession(w, "remoteAccess", row.sensor_id, owner, asked);
        if (former?.accountId === row.account_id) await service.endSessions(ctx, w, [former.id], "replaced");
        w.announce(entityUpdated("sensor", row.sensor_id, row.owner_id));
        return true;
      });
      // Checks the rights now, not only on the first request for a device page.
      if (!opened || !(await find(cookieHash))) return null;
      return cookie;
    },
    async find(label, cookies) {
      return (await current(label, cookies))?.session ?? null;
    },
    /** Checks all open sessions. Call it after a start, and when events of other processes may have been lost. */
    async missed() {
      for (const hash of await store.findOpenCookies(ctx.db, ctx.clock.date())) await find(hash);
    },
    stop() {
      off();
      endWhere(() => true);
    },
  };
}
