// The live channel at `/live?token=`: tickets, watched counts, presence, and logout.
import { errorCode } from "@psp/contract/errors.ts";
import { closeCodes } from "@psp/contract/live/channel.ts";
import { type Watch, watchSchema } from "@psp/contract/live/live.ts";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import type { SessionActor } from "../kit/caller.ts";
import { createTokenBucket } from "../kit/limits/rate-limit.ts";
import type { Channel } from "../open/connection.ts";
import type { LeaseTerms } from "../open/lease.ts";
import type { Hub, LiveClient } from "./hub.ts";

export type SocketGuard = {
  admit(token: string): Promise<SessionActor | null>;
  /** Ends the session; called when the client closes with 4000. */
  logout(actor: SessionActor): Promise<void>;
  /** Called when the account opens its first socket or closes its last one. */
  presenceChanged(accountId: string): void;
};
type ById = { byId(sessionId: string): Promise<SessionActor | null> };

/** Bytes; enough for a watch of everything that a page shows. */
const maxPayload = 16_384;
const maxBuffered = 4 * 1024 * 1024;
const watches = { perSecond: 2, burst: 30 };

export const livePath = "/live";

export function createLiveChannel(ctx: Context, hub: Hub, guard: SocketGuard, sessions: ById): Channel {
  return {
    path: livePath,
    maxPayload,
    maxBuffered,
    async admit(query) {
      const actor = await guard.admit(query.get("token") ?? "");
      if (!actor) return { refused: "401 Unauthorized" };
      const since = query.get("since");
      // Consoles get no counts until they send which ones they show.
      const watch = query.get("counts") === "watched" ? { measIDs: [], sensorIDs: [], any: false } : null;
      return {
        session: actor.sessionId,
        account: actor.id,
        terms: termsOf(actor, sessions),
        open(connection) {
          const client: LiveClient = { ...connection, sessionId: actor.sessionId, actor, watch, sent: 0 };
          const pace = createTokenBucket(watches.perSecond, watches.burst);
          if (ctx.presences.opened(actor.id) === 1) guard.presenceChanged(actor.id);
          hub.join(client, since);
          return {
            // Clients may only send a watch; anything else closes the connection.
            message(data) {
              const asked = parseWatch(data);
              if (asked === null || pace.delayMs(ctx.clock.now()) > 0)
                return connection.close(1008, "Nothing is expected here");
              hub.watch(client, asked);
            },
            closed(code) {
              hub.leave(client);
              if (ctx.presences.closed(actor.id) === 0) guard.presenceChanged(actor.id);
              if (code === closeCodes.logout)
                guard.logout(actor).catch((error: unknown) => ctx.log.error({ err: error }, "logout failed"));
            },
          };
        },
      };
    },
  };
}

/**
 * Consoles reload when their view scope changes; rights to single objects are checked per message (docs/rules/live-channel.md#close-codes).
 */
function termsOf({ id, sessionId }: SessionActor, sessions: ById): Omit<LeaseTerms, "end"> {
  return {
    sessionId,
    affectedBy(change) {
      if (change.kind === "gap") return "check";
      if (change.kind !== "rights" || !change.viewScopeChanged) return "no";
      return change.accountIds === "all" || change.accountIds.includes(id) ? new AppError(errorCode.noView) : "no";
    },
    async check() {
      if (!(await sessions.byId(sessionId))) throw new AppError(errorCode.unauthorized);
    },
  };
}

function parseWatch(data: Buffer): Watch | null {
  try {
    return watchSchema.safeParse(JSON.parse(data.toString())).data?.watch ?? null;
  } catch {
    return null;
  }
}
