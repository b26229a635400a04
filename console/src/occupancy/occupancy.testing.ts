// A location with an occupancy app and stubbed responses for tests.
import type { Location } from "@psp/contract/location/location.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { type StubbedResponses, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount, plainLocation, plainSensor } from "../testing/objects.ts";

export const numberedId = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const rights: Permissions = {
  owner: { canViewOwner: below },
  ownable: {
    sensor: { canViewObject: below },
    measurement: { canViewObject: below, canEditObject: below },
  },
};
export const viewPermissions: Permissions = {
  ...rights,
  ownable: { ...rights.ownable, measurement: { canViewObject: below } },
};
const owner = { _id: numberedId(1), name: "Northwind", isDeleted: false };
const self = plainAccount({ _id: numberedId(1), name: "Northwind" });

export const aps = plainSensor({ _id: "02:00:00:00:7A:01", owner });
export const secondAps = plainSensor({ _id: "02:00:00:00:7A:02", owner });
export const camera = plainSensor({ _id: "02:00:00:00:7A:03", type: "PS.C1", owner });

export const shopWith = (facts: Partial<Location> = {}) =>
  plainLocation({
    _id: numberedId(6),
    name: "Harbour Shop",
    owner,
    location: { coordinates: null, geo: null, timezone: "Europe/Berlin", address: { city: "Kiel" } },
    licenses: { buildings: false, occupancyMeasurement: true },
    ...facts,
  });

export const enabledApplications = [{ type: "ps-occupancy-app", enabled: true, settings: { maxObjects: 8 } }];

type Given = { sensors?: readonly Sensor[]; permissions?: Permissions; more?: StubbedResponses };

/** Opens a page below `/location/…/apps`. The stub stores changes of the location and increments its version. */
export function openAppPage(
  path: string,
  shop: Location,
  { sensors = [aps, camera], permissions = rights, more = {} }: Given = {},
) {
  const sent: unknown[] = [];
  const opened = openConsole(`/location/${numberedId(6)}/apps${path}`, {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions, email: "a1@example.com" } },
    "GET /api/account": listResponse([self]),
    "GET /api/v2/measurement": listResponse([shop]),
    "GET /api/v2/sensor": (_, query) => {
      const ofType = query.get("sensorType") === "APS" ? sensors.filter(({ type }) => type === "APS") : sensors;
      return query.get("monitored") === "true" ? listResponse([], 0) : listResponse(ofType);
    },
    [`GET /api/measurement/${numberedId(6)}`]: { status: 200, body: shop },
    [`PUT /api/measurement/${numberedId(6)}`]: (body) => {
      sent.push(body);
      return { status: 200, body: { ...shop, ...(body as object), version: shop.version + 1 } };
    },
    ...more,
  });
  return { sent, opened };
}
