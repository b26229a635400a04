// Sensors for the live hub: loaded once per batch, rendered once per kind of viewer.
import { canEdit, canView, canViewFirmware, type Actor } from "@psp/contract/permission/can.ts";
import { findOwners, type PlacedOwner } from "../account/account.owner.ts";
import type { Context } from "../context.ts";
import type { LiveObject, LiveSource } from "../live/hub.ts";
import { findSensorsForLive, type SensorRow } from "./sensor.store.ts";
import { toSensor } from "./sensor.wire.ts";

type Row = Awaited<ReturnType<typeof findSensorsForLive>>[number];

export function sensorLiveSource(ctx: Context): LiveSource {
  return {
    mayViewOwner: (actor, owner) => canView(actor, "sensor", owner),
    async load(ids) {
      const rows = await findSensorsForLive(ctx.db, ids);
      const owners = await findOwners(
        ctx.db,
        rows
          .flatMap((row) => [row.owner_id, row.location_owner_id, row.firmware_owner_id, row.running_owner_id])
          .filter((id) => id !== null),
      );
      return new Map(rows.map((row) => [row.id, liveObject(ctx, row, owners)]));
    },
  };
}

function liveObject(ctx: Context, row: Row, owners: Map<string, PlacedOwner>): LiveObject {
  const owner = owners.get(row.owner_id) as PlacedOwner;
  const flags = (actor: Actor) => ({
    edit: canEdit(actor, "sensor", owner),
    location: sees(owners.get(row.location_owner_id ?? ""), (one) => canView(actor, "measurement", one)),
    firmware: sees(owners.get(row.firmware_owner_id ?? ""), (one) =>
      canViewFirmware(actor, { owner: one, objPerm: { childrenCanViewObject: row.firmware_children ?? false } }),
    ),
    running: sees(owners.get(row.running_owner_id ?? ""), (one) =>
      canViewFirmware(actor, { owner: one, objPerm: { childrenCanViewObject: row.running_children ?? false } }),
    ),
  });
  return {
    owner,
    mayView: (actor) => canView(actor, "sensor", owner),
    variantOf: (actor) => JSON.stringify(flags(actor)),
    render: (variant) => toSensor(ctx, asRow(row, JSON.parse(variant) as ReturnType<typeof flags>)),
  };
}

function sees(owner: PlacedOwner | undefined, may: (owner: PlacedOwner) => boolean): boolean {
  return owner !== undefined && may(owner);
}

function asRow(row: Row, flags: { edit: boolean; location: boolean; firmware: boolean; running: boolean }): SensorRow {
  return {
    ...row,
    may_edit: flags.edit,
    sees_location: flags.location,
    sees_firmware: flags.firmware,
    sees_running: flags.running,
  };
}
