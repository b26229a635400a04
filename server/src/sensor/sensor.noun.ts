// Defines sensors as an owned noun and as a source of live events. Related objects are shown only to viewers who may see them.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import type { Caller } from "../kit/caller.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { visibleByOwner } from "../owned/owned.store.ts";
import type { LiveObject, LiveSource } from "../live/hub.ts";
import { sensorReasons } from "./sensor.reasons.ts";
import { findReferences, type References, type Projection, createProjection } from "./sensor.related.store.ts";
import { findSensor, findSensorsForLive, type SensorRow } from "./sensor.store.ts";
import { sensorTrail, toSensor } from "./sensor.wire.ts";

type Shown = { row: SensorRow; related: References; projection: Projection };

export const sensors: OwnedNoun<"sensor", Shown, Sensor> = {
  table: "sensor",
  sees: visibleByOwner("sensor", "sensor"),
  type: "sensor",
  rights: "sensor",
  reasons: sensorReasons,
  async find(_ctx, reader, caller, id) {
    const row = await findSensor(reader, caller, id);
    const [shown] = row ? await withRelated(reader, caller, [row]) : [];
    return shown ?? null;
  },
  toWire: (ctx, { row, related, projection }) => toSensor(ctx, row, related, projection),
  trail: sensorTrail,
};

async function withRelated(reader: Reader, caller: Caller, rows: SensorRow[]): Promise<Shown[]> {
  const related = await findReferences(reader, rows);
  return rows.map((row) => ({ row, related, projection: createProjection(caller, row, related) }));
}

export async function renderSensors(
  ctx: Context,
  reader: Reader,
  caller: Caller,
  rows: SensorRow[],
): Promise<Sensor[]> {
  return (await withRelated(reader, caller, rows)).map((shown) => sensors.toWire(ctx, shown));
}

/** Loads once per batch of events, and renders once for all viewers who see the same. */
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

/** Empty if the owner was created after the references were read; the next change publishes the sensor again. */
function liveObject(ctx: Context, row: SensorRow, related: References): [string, LiveObject][] {
  const owner = related.owners.get(row.owner_id);
  if (!owner) return [];
  const object: LiveObject = {
    owner,
    mayView: (actor) => canView(actor, "sensor", owner),
    variantOf: (actor) => JSON.stringify(createProjection(actor, row, related)),
    render: (variant) => toSensor(ctx, row, related, JSON.parse(variant) as Projection),
  };
  return [[row.id, object]];
}
