// Makes a live source of owned objects, which are loaded once per batch and rendered once per variant.
import { canView, type ObjectType } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { SessionActor } from "../kit/caller.ts";
import type { LiveObject, LiveSource } from "../live/hub.ts";
import { findOwners, type OwnerWithPath } from "./owner.ts";

type Owners = ReadonlyMap<string, OwnerWithPath>;

export function createOwnedLiveSource<Row extends { id: string; owner_id: string }>(
  ctx: Context,
  noun: {
    rights: ObjectType;
    /** Does not check rights, because `mayView` does. */
    load(ids: string[]): Promise<readonly Row[]>;
    otherOwners?: (row: Row) => (string | null)[];
    mayView?: (actor: SessionActor, row: Row, owner: OwnerWithPath) => boolean;
    mayViewOwner?: LiveSource["mayViewOwner"];
    variantOf?: (actor: SessionActor, row: Row, owners: Owners) => string;
    render(row: Row, variant: string): unknown;
  },
): LiveSource {
  const { rights, otherOwners = () => [], variantOf = () => "" } = noun;
  const mayView = noun.mayView ?? ((actor, _row, owner) => canView(actor, rights, owner));
  const asObject = (row: Row, owner: OwnerWithPath, owners: Owners): LiveObject => ({
    owner,
    mayView: (actor) => mayView(actor, row, owner),
    variantOf: (actor) => variantOf(actor, row, owners),
    render: (variant) => noun.render(row, variant),
  });
  return {
    mayViewOwner: noun.mayViewOwner ?? ((actor, owner) => canView(actor, rights, owner)),
    async load(ids) {
      const rows = await noun.load(ids);
      const ownerIds = rows.flatMap((row) => [row.owner_id, ...otherOwners(row)]).filter((id) => id !== null);
      const owners = await findOwners(ctx.db, ownerIds);
      return new Map(
        rows.flatMap((row) => {
          const owner = owners.get(row.owner_id);
          return owner ? [[row.id, asObject(row, owner, owners)]] : [];
        }),
      );
    },
  };
}
