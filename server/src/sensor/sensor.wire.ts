// Sensor rows as they travel; the only place that writes their API words.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { toOwnerRef } from "../account/account.owner.ts";
import type { Context } from "../context.ts";
import type { SensorRow } from "./sensor.store.ts";

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** A sensor for one viewer: what hangs on it and may not be seen is null. */
export function toSensor(ctx: Context, row: SensorRow): Sensor {
  return {
    _id: row.id,
    owner: toOwnerRef(ctx, row),
    type: row.type as Sensor["type"],
    measurement: locationOnWire(row),
    artifact: row.sees_firmware
      ? firmwareOnWire(row.firmware_id, row.firmware_name, row.firmware_type, row.firmware_is_deleted)
      : null,
    artifactRunning: row.sees_running
      ? firmwareOnWire(row.firmware_running_id, row.running_name, row.running_type, row.running_is_deleted)
      : null,
    info: row.info,
    groups: row.groups,
    claimable: row.claimable,
    claimingCode: row.may_edit ? row.claiming_code : null,
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
    types: [],
    licenses: { monitoring: row.license_monitoring },
    vpn: row.vpn as Sensor["vpn"],
    psconnect: row.psconnect,
    isDeleted: row.is_deleted,
    version: row.version,
  };
}

function locationOnWire(row: SensorRow): Sensor["measurement"] {
  if (!row.sees_location || row.location_id === null) return null;
  return {
    _id: row.location_id,
    name: row.location_name ?? "",
    isDeleted: row.location_is_deleted ?? false,
    location: { timezone: row.location_timezone },
  };
}

function firmwareOnWire(
  id: string | null,
  name: string | null,
  type: string | null,
  isDeleted: boolean | null,
): Sensor["artifact"] {
  return id === null
    ? null
    : { _id: id, name: name ?? "", type: type as Sensor["type"], isDeleted: isDeleted ?? false };
}

function taskOnWire(task: Record<string, unknown> | null): Sensor["sensorUpdateTask"] {
  if (!task) return null;
  // The task's own id is the device's job number and stays inside.
  const { id: _job, ...wire } = task;
  return wire as Sensor["sensorUpdateTask"];
}

/** For the audit trail: what people change, without secrets. */
export function sensorTrail(row: {
  owner_id: string;
  type: string;
  location_id: string | null;
  firmware_id: string | null;
  groups: string[];
  claimable: boolean;
  license_monitoring: boolean;
  rest_username: string | null;
}) {
  return {
    owner: row.owner_id,
    type: row.type,
    measID: row.location_id,
    artifact: row.firmware_id,
    groups: row.groups,
    claimable: row.claimable,
    monitoring: row.license_monitoring,
    restUsername: row.rest_username,
  };
}
