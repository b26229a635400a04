// Converts sensor rows to the form of the API; no other file does.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { toOwnerRef } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import { toVpn } from "../vpn/vpn.rules.ts";
import type { References, Projection } from "./sensor.related.store.ts";
import type { SensorRow, TrailedSensor } from "./sensor.store.ts";

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** A sensor for one viewer; related objects that they may not see are null. */
export function toSensor(ctx: Context, row: SensorRow, related: References, projection: Projection): Sensor {
  return {
    _id: row.id,
    owner: ownerOnWire(ctx, row.owner_id, related),
    type: row.type as Sensor["type"],
    measurement: projection.location ? locationOnWire(row.location_id, related) : null,
    artifact: projection.firmware ? firmwareOnWire(row.firmware_id, related) : null,
    artifactRunning: projection.running ? firmwareOnWire(row.firmware_running_id, related) : null,
    info: row.info,
    groups: row.groups,
    claimable: row.claimable,
    claimingCode: projection.edit ? row.claiming_code : null,
    scomState: {
      conAt: iso(row.con_at),
      disconAt: iso(row.discon_at),
      lastContactAt: iso(row.last_contact_at),
      isConnected: row.is_connected,
      isConnectedButDoesntRespond: row.not_responding,
    },
    sensorFeatureCredentials: row.rest_username === null ? [] : [{ feature: "restapi", username: row.rest_username }],
    sensorUpdateTask: taskOnWire(row.update_task),
    artifactInstallationState: row.install_state as Sensor["artifactInstallationState"],
    monitoringConfig: row.monitoring_config,
    types: row.has_logs ? ["monitoringStatus"] : [],
    openIssues: projection.issues,
    issueStatus: projection.issues[0]?.issueStatus ?? null,
    licenses: { monitoring: row.license_monitoring },
    vpn: toVpn(ctx.config.vpnServers, row.id, row.vpn),
    psconnect: row.psconnect,
    replacedBy: projection.replacedBy ? otherOnWire(row.replaced_by, related) : null,
    replaces: projection.replaces ? otherOnWire(row.replaces, related) : null,
    isDeleted: row.is_deleted,
    version: row.version,
  };
}

function ownerOnWire(ctx: Context, id: string, { owners }: References): Sensor["owner"] {
  const owner = owners.get(id);
  return toOwnerRef(ctx, {
    owner_id: id,
    owner_name: owner?.name ?? "",
    owner_is_deleted: owner?.is_deleted ?? true,
    owner_last_seen_at: owner?.last_seen_at ?? null,
  });
}

function locationOnWire(id: string | null, { locations }: References): Sensor["measurement"] {
  const one = locations.get(id ?? "");
  return one ? { _id: one.id, name: one.name, isDeleted: one.is_deleted, location: { timezone: one.detail } } : null;
}

function otherOnWire(id: string | null, { others }: References): Sensor["replacedBy"] {
  const one = others.get(id ?? "");
  return one ? { _id: one.id, isDeleted: one.is_deleted } : null;
}

function firmwareOnWire(id: string | null, { firmware }: References): Sensor["artifact"] {
  const one = firmware.get(id ?? "");
  return one ? { _id: one.id, name: one.name, type: one.detail as Sensor["type"], isDeleted: one.is_deleted } : null;
}

function taskOnWire(task: Record<string, unknown> | null): Sensor["sensorUpdateTask"] {
  if (!task) return null;
  // The task's own id is the device's job number and is not exposed.
  const { id: _job, ...wire } = task;
  return wire as Sensor["sensorUpdateTask"];
}

/** The audited fields: those that people can change, without secrets. */
export function sensorTrail(row: TrailedSensor) {
  return {
    owner: row.owner_id,
    type: row.type,
    measID: row.location_id,
    artifact: row.firmware_id,
    groups: row.groups,
    claimable: row.claimable,
    monitoring: row.license_monitoring,
    restUsername: row.rest_username,
    monitoringConfig: row.monitoring_config,
  };
}
