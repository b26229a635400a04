// Who may see which count of a sensor that changes hands, written sentence by sentence; nothing of the product in it.
import { type AccountNode, mayDo } from "@psp/contract/permission/oracle.testing.ts";

export type Shop = { id: string; owner: AccountNode };
/** One record of one line; `shop` is where it was counted, null without a location. */
export type CountedAt = { startMs: number; n: number; shop: Shop | null };
export type Traveler = {
  id: string;
  owner: AccountNode;
  /** When it came to this owner; null: it was there from the beginning. */
  cameMs: number | null;
  shop: Shop | null;
  wasPlaced: boolean;
  counts: CountedAt[];
};

/** Put at a location: with the first one goes what the same owner's sensor counted before. */
function place(sensor: Traveler, shop: Shop | null): void {
  sensor.shop = shop;
  if (shop === null || sensor.wasPlaced) return;
  sensor.wasPlaced = true;
  for (const count of sensor.counts) if (isOfPresentOwner(sensor, count)) count.shop = shop;
}

/** Given to another account, by whatever way; it stays where the new owner has it at home. */
export function handOver(sensor: Traveler, owner: AccountNode, nowMs: number, named: Shop | null | undefined): void {
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

function isOfPresentOwner(sensor: Traveler, count: CountedAt): boolean {
  return sensor.cameMs === null || count.startMs >= sensor.cameMs;
}

/** What this account gets to see below the sensor's address, or null when the sensor is not there for it. */
export function seenOfSensor(viewer: AccountNode, sensor: Traveler): CountedAt[] | null {
  if (!mayDo(viewer, "view", "sensor", sensor.owner)) return null;
  return sensor.counts.filter(
    (count) =>
      isOfPresentOwner(sensor, count) ||
      (count.shop !== null && mayDo(viewer, "view", "measurement", count.shop.owner)),
  );
}

/** What this account gets to see below the location's address, or null when the location is not there for it. */
export function seenOfShop(viewer: AccountNode, sensor: Traveler, shop: Shop): CountedAt[] | null {
  if (!mayDo(viewer, "view", "measurement", shop.owner)) return null;
  return sensor.counts.filter((count) => count.shop === shop);
}

/** Is a sensor of this owner there for the viewer? */
export function maySee(viewer: AccountNode, owner: AccountNode): boolean {
  return mayDo(viewer, "view", "sensor", owner);
}
