// Finds locations for other nouns whose data belong to a location, and checks the right to edit it.
import { errorCode } from "@psp/contract/errors.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { lockForChange } from "../owned/change.ts";
import { findOwners, getOwner, type OwnerWithPath } from "../owned/owner.ts";
import * as store from "./location.lookup.store.ts";
import { locations } from "./location.noun.ts";
import { locationReasons } from "./location.reasons.ts";

/** Throws 105 if the location is not visible, and 305 without the right to edit it. */
export async function requireEditableLocation(ctx: Context, caller: Caller, id: string): Promise<void> {
  const row = await locations.find(ctx, ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  const owner = await getOwner(ctx.db, row.owner_id);
  if (!canEdit(caller, "measurement", owner)) throw new AppError(errorCode.noEdit, locationReasons.edit(caller, owner));
}

/** Like `requireEditableLocation`, under a lock. Checks If-Match, too (412). */
export async function lockEditableLocation(
  tx: Tx,
  caller: Caller,
  id: string,
): Promise<{ timezone: string | null; owner: OwnerWithPath }> {
  const { row, from } = await lockForChange(locations, tx, caller, id, {});
  return { timezone: row.timezone, owner: from };
}

export type NamedPlace = { id: string; name: string; timezone: string | null; owner: OwnerWithPath };

/**
 * An id precedes an external id, which precedes a name. Two locations stand for several visible ones with the same one. Keys that
 * are the same name share a list.
 */
export async function findLocationsByKeys(
  reader: Reader,
  caller: Caller,
  keys: readonly string[],
): Promise<Map<string, readonly NamedPlace[]>> {
  const found = await store.findLocationsByKeys(reader, caller, keys);
  const owners = await findOwners(reader, [...new Set(found.map(({ owner_id }) => owner_id))]);
  const placesBy = (by: (typeof found)[number]["by"]) => {
    const groups = Map.groupBy(
      found.filter((row) => row.by === by),
      (row) => row.keys[0],
    );
    return new Map(
      [...groups.values()].flatMap((rows) => {
        const places = rows.flatMap((row) => toPlaces(row, owners));
        return (rows[0]?.keys ?? []).map((key) => [key, places] as const);
      }),
    );
  };
  const [ids, externalIds, names] = [placesBy("id"), placesBy("externalID"), placesBy("name")];
  const none: readonly NamedPlace[] = [];
  return new Map(
    keys.map((key) => [key, ids.get(key.toLowerCase()) ?? externalIds.get(key) ?? names.get(key) ?? none]),
  );
}

function toPlaces({ id, name, timezone, owner_id }: store.FoundLocation, owners: ReadonlyMap<string, OwnerWithPath>) {
  const owner = owners.get(owner_id);
  return owner ? [{ id, name, timezone, owner }] : [];
}

/** Locks the locations. Throws 409 if one was deleted or has another owner meanwhile. */
export async function lockUnchangedLocations(tx: Tx, places: readonly NamedPlace[]): Promise<void> {
  const owners = await store.lockOwners(
    tx,
    places.map(({ id }) => id),
  );
  if (places.some(({ id, owner }) => owners.get(id) !== owner.id))
    throw new AppError(
      errorCode.invalidArgument,
      { reason: "A location was deleted or handed over meanwhile. Try again" },
      { status: 409 },
    );
}
