// An independent oracle of who may see which counts of a sensor that changes owner.
import { type AccountNode, mayDo } from "@psp/contract/permission/oracle.testing.ts";

export type Shop = { id: string; owner: AccountNode };
/** One record of one line; `shop` is its location, or null. */
export type CountedAt = { startMs: number; n: number; shop: Shop | null };
export type SensorModel = {
  id: string;
  owner: AccountNode;
  /** When this owner got the sensor; null if it was theirs from the beginning. */
  cameMs: number | null;
  shop: Shop | null;
  wasPlaced: boolean;
  counts: CountedAt[];
};

/** Assigns the sensor to a location; the first one also gets the earlier counts under the same owner. */
function place(sensor: SensorModel, shop: Shop | null): void {
  sensor.shop = shop;
  if (shop === null || sensor.wasPlaced) return;
  sensor.wasPlaced = true;
  for (const count of sensor.counts) if (isOfPresentOwner(sensor, count)) count.shop = shop;
}

/** Gives the sensor to another account. It stays at its location only if the new owner owns the location. */
export function handOver(sensor: SensorModel, owner: AccountNode, nowMs: number, named: Shop | null | undefined): void {
  if (sensor.owner === owner) {
    if (named !== undefined) place(sensor, named);
    return;
  }
  const kept = sensor.shop?.owner === owner ? sensor.shop : null;
  sensor.owner = owner;
  sensor.cameMs = nowMs;
  if (named === undefined) sensor.shop = kept;
  else place(sensor, named);
}

export function mayHave(receiver: AccountNode, shop: Shop): boolean {
  return receiver === shop.owner || mayDo(receiver, "view", "measurement", shop.owner);
}

function isOfPresentOwner(sensor: SensorModel, count: CountedAt): boolean {
  return sensor.cameMs === null || count.startMs >= sensor.cameMs;
}

/** The sensor's counts for this viewer, or null if the sensor is not visible. */
export function visibleCountsOfSensor(viewer: AccountNode, sensor: SensorModel): CountedAt[] | null {
  if (!mayDo(viewer, "view", "sensor", sensor.owner)) return null;
  return sensor.counts.filter(
    (count) =>
      isOfPresentOwner(sensor, count) ||
      (count.shop !== null && mayDo(viewer, "view", "measurement", count.shop.owner)),
  );
}

/** The location's counts of the sensor for this viewer, or null if the location is not visible. */
export function visibleCountsOfShop(viewer: AccountNode, sensor: SensorModel, shop: Shop): CountedAt[] | null {
  if (!mayDo(viewer, "view", "measurement", shop.owner)) return null;
  return sensor.counts.filter((count) => count.shop === shop);
}

export function maySee(viewer: AccountNode, owner: AccountNode): boolean {
  return mayDo(viewer, "view", "sensor", owner);
}
