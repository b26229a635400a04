// What the deletion of whole sensors means, whether a person asked for it or nobody came for them.
import type { Selectable } from "kysely";
import type { Context } from "../context.ts";
import type { SensorTable } from "./sensor.tables.ts";
import { bumped, type Write } from "../db/write.ts";
import { forgetTasks } from "../rollout/rollout.service.ts";
import { recordMoves } from "./assignment.service.ts";
import { sensorTrail } from "./sensor.wire.ts";

/**
 * Deletes sensors whose rows the caller has locked in the order of their ids: their tasks end, they leave their places,
 * nobody can claim them, and their devices are cut off. `after` is what the trail says besides.
 */
export async function deleteLocked(
  ctx: Context,
  w: Write,
  sensors: readonly Selectable<SensorTable>[],
  after?: Record<string, unknown>,
): Promise<void> {
  const ids = sensors.map(({ id }) => id);
  await forgetTasks(ctx, w, ids);
  await w.tx
    .updateTable("sensor")
    .set({
      ...bumped(ctx),
      is_deleted: true,
      claimable: false,
      claiming_code: null,
      is_connected: false,
      location_id: null,
    })
    .where("id", "in", ids)
    .execute();
  const placed = sensors.filter(({ location_id }) => location_id !== null);
  const nums = placed.map(({ num }) => num);
  await recordMoves(ctx, w.tx, nums, null);
  for (const sensor of sensors) {
    const { id, owner_id: owner, owner_path: path } = sensor;
    w.audit({
      action: "delete",
      object: { type: "sensor", _id: id },
      owner: { id: owner, path },
      before: sensorTrail(sensor),
      after,
    });
    w.announce({
      name: "entityChanged",
      event: { type: "sensor", op: "delete", id, ownerBefore: owner, ownerAfter: owner },
    });
  }
  w.announce({ name: "sensorsDropped", event: { sensorIds: ids } });
}
