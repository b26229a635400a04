// A sample sensor and a server stub.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { StubbedResponses } from "../testing/console.tsx";
import {
  listResponse,
  plainAccount,
  plainCounts,
  plainFirmware,
  plainLocation,
  plainSensor,
} from "../testing/objects.ts";

export const ids = {
  root: "00000000-0000-4000-8000-000000000001",
  self: "00000000-0000-4000-8000-000000000002",
  child: "00000000-0000-4000-8000-000000000003",
  ownRole: "00000000-0000-4000-8000-00000000000a",
  place: "00000000-0000-4000-8000-0000000000b1",
  otherPlace: "00000000-0000-4000-8000-0000000000b2",
  firmware: "00000000-0000-4000-8000-0000000000c1",
  newer: "00000000-0000-4000-8000-0000000000c2",
  sensor: "02:00:00:00:7A:01",
} as const;

const below = { me: true, myChildren: true };
export const allPermissions: Permissions = {
  owner: { canViewOwner: below },
  other: { canAssignSensors: below, canUseArtifact: below },
  ownable: {
    sensor: {
      canViewObject: below,
      canEditObject: below,
      canDeleteObject: below,
      canCreateObjectFor: below,
      canChangeOwner: { from: below, to: below },
    },
    measurement: { canViewObject: below, canEditObject: below },
    artifact: { canViewObject: below },
  },
};
export const viewOnlyPermissions: Permissions = {
  owner: { canViewOwner: below },
  ownable: { sensor: { canViewObject: below }, measurement: { canViewObject: below } },
};

const account = (_id: string, name: string, parentAccounts: string[]) =>
  plainAccount({ _id, name, parentAccounts, role: { _id: ids.ownRole, name: "Own", owner: null } });
export const ownAccount = account(ids.self, "Harbour Stores", [ids.root]);
export const childAccount = account(ids.child, "Harbour Branch", [ids.root, ids.self]);

export const sampleLocationRef = {
  _id: ids.place,
  name: "Main entrance",
  isDeleted: false,
  location: { timezone: "Asia/Kathmandu" },
};
export const enabledVpn: Sensor["vpn"] = {
  vpnSensorID: "020000007a01",
  enabledOnSensor: true,
  connect: false,
  clientCertID: null,
  vpnServerIDs: ["eu"],
  staticClientConfigID: null,
  clientServices: ["hmi"],
  vpnStatus: null,
};

export function sensorWith(facts: Partial<Sensor> = {}): Sensor {
  return plainSensor({
    _id: ids.sensor,
    owner: { _id: ids.self, name: "Harbour Stores", isDeleted: false },
    info: { software: { firmware: { version: "1.18.0" } } },
    claimingCode: "ABCD2345",
    scomState: {
      conAt: "2026-11-20T10:00:00.000Z",
      disconAt: null,
      lastContactAt: new Date().toISOString(),
      isConnected: true,
      isConnectedButDoesntRespond: false,
    },
    version: 4,
    ...facts,
  });
}

export const sensorApiPath = `/api/sensor/${encodeURIComponent(ids.sensor)}`;

export const firmwareOf = (_id: string, name: string) =>
  plainFirmware({ _id, name, owner: { _id: ids.self, name: "Harbour Stores", isDeleted: false } });
export const sampleFirmwareList = [firmwareOf(ids.newer, "2.0.0"), firmwareOf(ids.firmware, "1.18.0")];

/** Responses of a server with one sensor, its accounts and firmware; `more` replaces some of them. */
export function createServerStub(
  sensor: Sensor,
  permissions: Permissions = allPermissions,
  more: StubbedResponses = {},
): StubbedResponses {
  return {
    "GET /api/auth/user": { status: 200, body: { ...ownAccount, permissions, email: "self@example.com" } },
    "GET /api/account": listResponse([ownAccount, childAccount]),
    "GET /api/artifact": listResponse(sampleFirmwareList),
    "GET /api/v2/measurement": listResponse([]),
    "GET /api/v2/sensor": listResponse([sensor]),
    [`GET ${sensorApiPath}`]: { status: 200, body: sensor },
    [`GET ${sensorApiPath}/remote-session`]: { status: 200, body: [] },
    "GET /api/v2/counts": { status: 200, body: plainCounts() },
    "GET /api/v2/audit": listResponse([]),
    ...more,
  };
}

export const sampleLocation = plainLocation({
  ...sampleLocationRef,
  owner: { _id: ids.self, name: "Harbour Stores", isDeleted: false },
  location: { coordinates: null, geo: null, timezone: "Asia/Kathmandu", address: null },
  sensorCount: 1,
  sensorsOffline: 0,
});
