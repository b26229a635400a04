// Minimal API objects for tests.
import type { Account } from "@psp/contract/account/account.ts";
import type { CountBucket, Counts } from "@psp/contract/counts/counts.api.ts";
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import type { Location } from "@psp/contract/location/location.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { StubbedResponse } from "./console.tsx";

type Named = { _id: string; name: string };
type Owned = { owner: { _id: string; name: string; isDeleted: boolean } };

export const listResponse = <T>(objects: readonly T[], total = objects.length): StubbedResponse => ({
  status: 200,
  body: { objects, total },
});

/** A root account without role, logins or address. */
export function plainAccount(facts: Named & Partial<Account>): Account {
  return {
    role: null,
    credentials: [],
    registrationInfo: [],
    parentAccounts: [],
    status: { numActiveSessions: 0, lastSeenAt: null },
    phone: null,
    street: null,
    streetNumber: null,
    zip: null,
    city: null,
    country: null,
    supplier: null,
    readonlyAddress: false,
    isDeleted: false,
    version: 1,
    ...facts,
  };
}

/** A never connected APS with default values. */
export function plainSensor(facts: { _id: string } & Owned & Partial<Sensor>): Sensor {
  return {
    type: "APS",
    measurement: null,
    artifact: null,
    artifactRunning: null,
    info: null,
    groups: [],
    claimable: false,
    claimingCode: null,
    scomState: {
      conAt: null,
      disconAt: null,
      lastContactAt: null,
      isConnected: false,
      isConnectedButDoesntRespond: false,
    },
    sensorFeatureCredentials: [],
    sensorUpdateTask: null,
    artifactInstallationState: null,
    monitoringConfig: null,
    types: [],
    openIssues: [],
    issueStatus: null,
    licenses: { monitoring: false },
    vpn: null,
    psconnect: null,
    replacedBy: null,
    replaces: null,
    isDeleted: false,
    version: 1,
    ...facts,
  };
}

/** A location without address or sensors. */
export function plainLocation(facts: Named & Owned & Partial<Location>): Location {
  return {
    location: { coordinates: null, geo: null, timezone: null, address: null },
    country: null,
    licenses: { buildings: false, occupancyMeasurement: false },
    tags: [],
    openingHours: null,
    externalID: null,
    types: [],
    issueStatus: null,
    sensorCount: 0,
    sensorsOffline: 0,
    applications: [],
    monitoringConfig: null,
    isDeleted: false,
    version: 1,
    ...facts,
  };
}

/** An APS firmware that has no file and is not shared. */
export function plainFirmware(facts: Named & Owned & Partial<Firmware>): Firmware {
  return {
    type: "APS",
    file: null,
    md5: null,
    objPerm: { childrenCanViewObject: false },
    isDeleted: false,
    version: 1,
    ...facts,
  };
}

/** A bucket without data, `minutes` long from `startUTC`, in UTC. */
export function plainBucket(startUTC: string, minutes = 60, facts: Partial<CountBucket> = {}): CountBucket {
  const start = new Date(startUTC).toISOString();
  const end = new Date(Date.parse(startUTC) + minutes * 60_000).toISOString();
  const local = (at: string) => at.replace("Z", "+00:00");
  const unknown = { in: null, out: null, completeness: 0, closed: false };
  return { start: local(start), end: local(end), startUTC: start, endUTC: end, ...unknown, ...facts };
}

/** Counts of a day without data, compared with the previous week. */
export function plainCounts(facts: Partial<Counts> = {}): Counts {
  const unknown = { in: null, out: null, completeness: null };
  return {
    timezone: "UTC",
    now: "2026-11-23T14:30:00.000Z",
    today: "2026-11-23",
    first: "2026-11-23",
    last: "2026-11-23",
    by: "hour",
    total: unknown,
    rows: [],
    hasOpeningHours: false,
    outside: null,
    notes: [],
    earlier: { first: "2026-11-16", last: "2026-11-16", total: unknown, rows: [], skippedDays: 0 },
    change: { in: null, out: null },
    sales: null,
    ...facts,
  };
}
