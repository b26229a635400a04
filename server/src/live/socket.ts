// The live channel at `/live?token=`: its ticket, the counts that a page asks for, presence, and logout.
import { errorCode } from "@psp/contract/errors.ts";
import { closeCodes } from "@psp/contract/live/channel.ts";
import { type Watch, watchSchema } from "@psp/contract/live/live.ts";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import type { SessionActor } from "../kit/caller.ts";
import { createTokenBucket } from "../kit/limits/rate-limit.ts";
import type { Channel } from "../open/connection.ts";
import type { Terms } from "../open/lease.ts";
import type { Hub, LiveClient } from "./hub.ts";

export type SocketGuard = {
  /** The actor behind a ticket or bearer token, or null. A ticket is used up. */
  admit(token: string): Promise<SessionActor | null>;
  /** The client said goodbye with 4000: the session ends for good. */
  logout(actor: SessionActor): Promise<void>;
  /** Somebody's number of open sockets changed between none and some. */
  presenceChanged(accountId: string): void;
};
type ById = { byId(sessionId: string): Promise<SessionActor | null> };

/** A list of everything that a page shows. */
const maxPayload = 16_384;
const maxBuffered = 4 * 1024 * 1024;
/** Going from page to page is slower. */
const watches = { perSecond: 2, burst: 30 };

export const livePath = "/live";

export function liveChannel(ctx: Context, hub: Hub, guard: SocketGuard, sessions: ById): Channel {
  return {
    path: livePath,
    maxPayload,
    maxBuffered,
    async admit(query) {
      const actor = await guard.admit(query.get("token") ?? "");
      if (!actor) return { refused: "401 Unauthorized" };
      const since = query.get("since");
      // A page says which counts it shows; until then it shows none.
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
            // But for what it shows, nothing is expected of a client; one that talks is not ours.
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

/** A console reloads when its view changed; rights to single objects are looked at for each message (docs/rules/live-channel.md#close-codes). */
function termsOf({ id, sessionId }: SessionActor, sessions: ById): Omit<Terms, "end"> {
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
