// Writes presence changes of many devices in one transaction.
import type { Context } from "../../context.ts";
import { entityUpdated } from "../../kit/bus.ts";
import { createGroupCommit, type GroupCommit } from "../../db/group-commit.ts";
import { announcing } from "../../db/write.ts";
import type { FollowedChange } from "./presence.ts";
import { mergeChanges, type PresenceChange, writePresence } from "./presence.store.ts";
import { writeSessions } from "./session-order.store.ts";

const hiddenKeys: ReadonlySet<string> = new Set(["sensorId", "connection", "contactAt", "deathOf", "deadSid"]);

/** Kept below the size limit of one message between processes. */
const presencesPerMessage = 30;

/** `sharedBy` is this gateway with an external broker, where other gateways must know what it has stored; else null. */
export function createPresenceWriter(ctx: Context, sharedBy: string | null): GroupCommit<PresenceChange> {
  function share(changes: readonly FollowedChange[], gatewayId: string) {
    for (let from = 0; from < changes.length; from += presencesPerMessage) {
      const part = changes.slice(from, from + presencesPerMessage);
      ctx.bus.send({ name: "presencesChanged", event: { gatewayId, changes: part } });
    }
  }

  return createGroupCommit<PresenceChange>({
    name: "presence",
    log: ctx.log,
    gatherMs: 100,
    maxWeight: 500,
    async run(items) {
      const written = await announcing(ctx, async (tx, announce) => {
        const folded = mergeChanges(items);
        const stored =
          sharedBy !== null
            ? await writeSessions(tx, items)
            : { written: folded, living: await writePresence(tx, folded) };
        const owners = new Map(stored.living.map((row) => [row.id, row.owner_id]));
        for (const change of stored.written) {
          const owner = owners.get(change.sensorId);
          // A change of the contact time alone is not shown live.
          const isVisible = Object.keys(change).some((key) => !hiddenKeys.has(key));
          if (owner !== undefined && isVisible) announce(entityUpdated("sensor", change.sensorId, owner));
        }
        return stored.written;
      });
      if (sharedBy !== null) share(written.flatMap(toFollowed), sharedBy);
    },
  });
}

function toFollowed({ sensorId, birth, deathOf, connected, notResponding }: PresenceChange): FollowedChange[] {
  const sid = birth?.sid ?? deathOf;
  // This session is over, but the sensor has a newer one.
  if (deathOf !== undefined && connected === undefined) return [{ sensorId, sid: deathOf, isConnected: false }];
  if (birth === undefined && connected === undefined && notResponding === undefined) return [];
  return [
    {
      sensorId,
      ...(sid === undefined ? {} : { sid }),
      ...(connected === undefined ? {} : { isConnected: connected }),
      ...(notResponding === undefined ? {} : { notResponding }),
    },
  ];
}
