// Admits displays to their socket at `/live/occupancy/{locationId}?token=` and closes it when they lose the right to it.
import { errorCode } from "@psp/contract/errors.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Channel } from "../../open/connection.ts";
import type { LeaseTerms } from "../../open/lease.ts";
import type { DisplayGuard, DisplayReader } from "./display.guard.ts";
import type { DisplayClient } from "./channel.live.ts";
import { createDisplayHub } from "./display.live.ts";

export const displayPath = "/live/occupancy/";

/** Bytes; a few hundred unread messages. */
const maxBuffered = 64 * 1024;
const maxPayload = 1024;
const lookEveryMs = 25_000;
const keepEveryMs = 3_600_000;

export function startDisplayChannel(ctx: Context, guard: DisplayGuard) {
  const hub = createDisplayHub(ctx);
  const readers = new Set<DisplayReader>();
  let keptAtMs = ctx.clock.now();

  /** Prevents the tokens of open displays from expiring as unused: a passive display makes no requests for months. */
  async function keepReaders(): Promise<void> {
    if (ctx.clock.now() - keptAtMs < keepEveryMs) return;
    keptAtMs = ctx.clock.now();
    for (const reader of readers) await guard.keep(reader);
  }
  const keeper = setInterval(() => {
    keepReaders().catch((error: unknown) => ctx.log.warn({ err: error }, "the use of displays could not be noted"));
  }, lookEveryMs).unref();

  const channel: Channel = {
    path: displayPath,
    maxPayload,
    maxBuffered,
    async admit(query, below) {
      // An invalid id is replaced by one that no location has, so that it is refused like an unknown one.
      const [locationId = noLocation] = filterUuids([below.toLowerCase()]);
      const reader = await guard.admit(query.get("token") ?? "", locationId);
      if (reader === "unknown") return { refused: "401 Unauthorized" };
      if (reader === "invisible") return { refused: "404 Not Found" };
      return {
        session: reader.key,
        account: reader.accountId,
        terms: termsOf(reader, locationId, guard),
        open(connection) {
          const client: DisplayClient = { ...connection, sent: 0 };
          readers.add(reader);
          hub.join(client, locationId);
          return {
            closed() {
              readers.delete(reader);
              hub.leave(client, locationId);
            },
          };
        },
      };
    },
  };

  return {
    channel,
    /** Call it when events of other processes may have been lost. */
    missed: () => hub.missed(),
    async stop() {
      clearInterval(keeper);
      await hub.stop();
    },
  };
}

/** A display is closed when its reader loses the right to it (docs/rules/occupancy.md#display-socket). */
function termsOf(reader: DisplayReader, locationId: string, guard: DisplayGuard): Omit<LeaseTerms, "end"> {
  return {
    sessionId: reader.kind === "session" ? reader.key : null,
    affectedBy(change) {
      if (change.kind === "displays") return change.locationIds.includes(locationId) ? "check" : "no";
      if (change.kind !== "entity") return "check";
      const { type, id } = change.event;
      return type === "account" || type === "role" || (type === "measurement" && id === locationId) ? "check" : "no";
    },
    async check() {
      const refusal = await guard.refusalOf(reader, locationId);
      if (refusal === "unknown") throw new AppError(errorCode.unauthorized);
      if (refusal === "invisible") throw new AppError(errorCode.notFound);
    },
  };
}

const noLocation = "00000000-0000-0000-0000-000000000000";
