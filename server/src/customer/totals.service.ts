// Adds changed sensors to the totals per account (docs/rules/customers.md#totals).
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { announcing } from "../db/write.ts";
import { entityUpdated } from "../kit/bus.ts";
import { computeCurrentContactCutoff } from "../sensor/sensor.rights.ts";
import * as store from "./totals.store.ts";

const hourMs = 3_600_000;

/** Returns how many marks and newly offline sensors were taken. Announces those whose connection has timed out. */
export async function updateTotals(ctx: Context, most: number): Promise<number> {
  const cutoff = computeCurrentContactCutoff(ctx);
  if (!(await store.hasChangedSensors(ctx.db, cutoff))) return 0;
  return announcing(ctx, async (tx, announce) => {
    const { taken, changed, passed } = await updateTotalsIn(tx, cutoff, most);
    // A timeout writes nothing to the sensor, so no other transaction has announced it.
    for (const { num, id, ownerId, isOffline, was } of changed)
      if (id !== null && isOffline && was?.isOffline === false && passed.has(num))
        announce(entityUpdated("sensor", id, ownerId));
    return taken;
  });
}

/** Follows releases of firmware that became visible, or no longer are. */
export async function updateOutdated(ctx: Context): Promise<void> {
  if (!(await store.hasOutdatedChanges(ctx.db))) return;
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockTotals(tx);
    await store.applyOutdatedChanges(tx);
  });
}

/** `passed`: sensors whose only change is that their connection has timed out. */
export async function updateTotalsIn(tx: Tx, cutoff: Date, most: number) {
  await store.lockTotals(tx);
  const { was, next, nums } = await store.moveOfflineLimit(tx, cutoff, most);
  const marked = await store.takeSensorMarks(tx, most);
  const all = new Set([...nums, ...marked]);
  const sensors = await store.examineSensors(tx, [...all], next);
  const changed = sensors.filter((sensor) => !isSame(sensor));
  await store.saveStates(tx, changed);
  await store.addToTotals(tx, sumChanges(changed));
  // A longer break of this job must not cause an event for each of very many sensors.
  const isRecent = Number(was) > cutoff.getTime() - hourMs;
  const passed = isRecent ? new Set(nums).difference(new Set(marked)) : new Set<number>();
  return { taken: nums.length + marked.length, changed, passed };
}

function isSame({ id, was, ...now }: store.ExaminedSensor): boolean {
  if (id === null || was === null) return id === null && was === null;
  return (
    now.ownerPath === was.ownerPath &&
    now.type === was.type &&
    now.version === was.version &&
    now.isOffline === was.isOffline &&
    now.hasError === was.hasError &&
    now.hasWarning === was.hasWarning &&
    now.hasFormerIssue === was.hasFormerIssue
  );
}

/** One change per row of the totals, in a fixed order. */
function sumChanges(changed: readonly store.ExaminedSensor[]): store.TotalChange[] {
  const sums = new Map<string, store.TotalChange>();
  const add = (state: store.SensorState, sign: 1 | -1) => {
    const { ownerPath, type, version } = state;
    const zero = { ownerPath, type, version, sensors: 0, offline: 0, errors: 0, warnings: 0 };
    const sum = sums.getOrInsertComputed(JSON.stringify([ownerPath, type, version]), () => zero);
    sum.sensors += sign;
    sum.offline += sign * Number(state.isOffline);
    sum.errors += sign * Number(state.hasError);
    sum.warnings += sign * Number(state.hasWarning);
  };
  for (const sensor of changed) {
    if (sensor.was !== null) add(sensor.was, -1);
    if (sensor.id !== null) add(sensor, 1);
  }
  return [...sums.values()].filter(
    (sum) => sum.sensors !== 0 || sum.offline !== 0 || sum.errors !== 0 || sum.warnings !== 0,
  );
}
