// Gathers what devices say about themselves, writes it for many at a time, and announces to the screens what they can see.
import type { Context } from "../../context.ts";
import { type GroupCommit, createGroupCommit } from "../../limits/group-commit.ts";
import { foldChanges, type PresenceChange, writePresence } from "./presence.store.ts";

const gatherMs = 100;
const maxChanges = 500;

export function createPresenceChanges(ctx: Context): GroupCommit<PresenceChange> {
  return createGroupCommit<PresenceChange>({
    name: "presence",
    log: ctx.log,
    gatherMs,
    maxWeight: maxChanges,
    async run(items) {
      const folded = foldChanges(items);
      const living = await ctx.db.transaction().execute((tx) => writePresence(tx, folded));
      const owners = new Map(living.map((row) => [row.id, row.owner_id]));
      for (const change of folded) {
        const owner = owners.get(change.sensorId);
        if (owner !== undefined && isVisible(change)) announce(ctx, change.sensorId, owner);
      }
    },
    onPoison: () => null,
  });
}

/** Contact alone is no news to anybody's screen. */
function isVisible(change: PresenceChange): boolean {
  return Object.keys(change).some((key) => key !== "sensorId" && key !== "contactAt");
}

function announce(ctx: Context, id: string, ownerId: string): void {
  ctx.bus.emit({
    name: "entityChanged",
    event: { type: "sensor", op: "update", id, ownerBefore: ownerId, ownerAfter: ownerId },
  });
}
