// API calls for sensors.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { mac } from "../kit/ids.ts";
import { ownedCalls } from "../kit/owned-calls.ts";
import { pageReply, queryNumber } from "../kit/page.ts";
import { connectionStates, installationStates, lastContactFilters, timeoutHoursLimits } from "./presence.ts";
import { sensorListQuery } from "./sensor.query.ts";
import { newSensorSchema, sensorChangeSchema, sensorSchema } from "./sensor.ts";
import { sensorTypes } from "../device/sensor-type.ts";

const sensor = ownedCalls("Sensor", "/sensor", mac, sensorSchema);

export const listSensors = endpoint("listSensors", "GET", "/v2/sensor", {
  summary: "Sensors that the caller may view; all ids with onlyIDs",
  query: sensorListQuery,
  reply: z.union([pageReply(sensorSchema), z.array(z.string())]),
});
const bucket = <S extends z.ZodType>(id: S) => z.array(z.object({ _id: id, count: z.int() }));
export const sensorStats = endpoint("sensorStats", "GET", "/v2/sensor/stats", {
  summary: "Visible sensors counted by firmware, connection, last contact, type, license and installation",
  query: z.strictObject({ connectionTimeout: queryNumber(timeoutHoursLimits.min, timeoutHoursLimits.max).optional() }),
  reply: z.object({
    totalByInfoFirmware: bucket(z.string().nullable()),
    totalByScomState: bucket(z.enum(connectionStates)),
    totalByType: bucket(z.enum(sensorTypes)),
    totalByMonitoringLicense: bucket(z.boolean()),
    /** Excludes sensors without an installation state. */
    totalByInstallation: bucket(z.enum(installationStates)),
    /** Each total equals the number of sensors that the filter finds. Sensors may be counted in several totals. */
    totalByLastContact: bucket(z.enum(lastContactFilters)),
  }),
});
export type SensorStats = z.output<typeof sensorStats.reply>;
export const getSensor = sensor.get("One sensor");
export const createSensor = sensor.create(
  newSensorSchema,
  "Makes a sensor known before its first contact; it has no credential until it enrols",
);
export const updateSensor = sensor.update(
  sensorChangeSchema,
  "Changes owner, firmware, location, groups, re-registration or REST credentials, or asks for the VPN",
);
export const deleteSensor = sensor.remove("Deletes a sensor and revokes its credential");
export const grantSensorLicenses = sensor.update(
  z.strictObject({ monitoring: z.boolean().optional() }),
  "Grants or withdraws the monitoring license; the operator's root account only (306 otherwise)",
  { name: "grantSensorLicenses", part: "/licenses" },
);
