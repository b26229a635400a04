// Locations for the live hub: loaded once per batch, rendered once per number of sensors that a viewer may see there.
import { canView } from "@psp/contract/permission/can.ts";
import { findOwners } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import type { LiveObject, LiveSource } from "../live/hub.ts";
import { findLocationsForLive } from "./location.store.ts";
import { toLocation } from "./location.wire.ts";

export function locationLiveSource(ctx: Context): LiveSource {
  return {
    mayViewOwner: (actor, owner) => canView(actor, "measurement", owner),
    async load(ids) {
      const rows = await findLocationsForLive(ctx.db, ids);
      const owners = await findOwners(
        ctx.db,
        rows.flatMap((row) => [row.owner_id, ...row.sensor_owners.map(({ id }) => id)]),
      );
      const objects = new Map<string, LiveObject>();
      for (const row of rows) {
        const owner = owners.get(row.owner_id);
        if (!owner) continue;
        objects.set(row.id, {
          owner,
          mayView: (actor) => canView(actor, "measurement", owner),
          variantOf: (actor) => {
            const visible = row.sensor_owners.filter(({ id }) => {
              const sensorOwner = owners.get(id);
              return sensorOwner !== undefined && canView(actor, "sensor", sensorOwner);
            });
            return String(visible.reduce((sum, { n }) => sum + n, 0));
          },
          render: (variant) => toLocation(ctx, { ...row, sensor_count: Number(variant) }),
        });
      }
      return objects;
    },
  };
}
