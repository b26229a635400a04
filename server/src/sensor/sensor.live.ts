// Sensors for the live hub: loaded once per batch, rendered once per kind of viewer.
import { canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { LiveObject, LiveSource } from "../live/hub.ts";
import { findReferences, type References, type Projection, projectionOf } from "./sensor.related.store.ts";
import { findSensorsForLive, type SensorRow } from "./sensor.store.ts";
import { toSensor } from "./sensor.wire.ts";

export function sensorLiveSource(ctx: Context): LiveSource {
  return {
    mayViewOwner: (actor, owner) => canView(actor, "sensor", owner),
    async load(ids) {
      const rows = await findSensorsForLive(ctx.db, ids);
      const related = await findReferences(ctx.db, rows);
      return new Map(rows.flatMap((row) => liveObject(ctx, row, related)));
    },
  };
}

/** None when the owner did not exist yet as the references were read: the next change announces it again. */
function liveObject(ctx: Context, row: SensorRow, related: References): [string, LiveObject][] {
  const owner = related.owners.get(row.owner_id);
  if (!owner) return [];
  const object: LiveObject = {
    owner,
    mayView: (actor) => canView(actor, "sensor", owner),
    variantOf: (actor) => JSON.stringify(projectionOf(actor, row, related)),
    render: (variant) => toSensor(ctx, row, related, JSON.parse(variant) as Projection),
  };
  return [[row.id, object]];
}
