// The calls about sensors (spec 2 §7).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { mac } from "../kit/ids.ts";
import { ownedCalls } from "../kit/owned-calls.ts";
import { idFilter, idText, pageQuery, pageReply, queryFlag, queryNumber, repeatable, textFilter } from "../kit/page.ts";
import { newSensorSchema, sensorChangeSchema, sensorSchema, timeoutHours } from "./sensor.ts";
import { sensorTypes } from "./sensor-type.ts";

const sensor = ownedCalls("Sensor", "/sensor", mac, sensorSchema);

/** The nine filters of the sensor list beside paging (SE-01, SE-02). */
export const sensorFilter = {
  ids: idFilter.optional(),
  sensorType: repeatable(z.enum(sensorTypes)).optional(),
  connected: z.enum(["connected", "disconnected"]).optional(),
  ownerID: idFilter.optional(),
  artifactRunningID: idFilter.optional(),
  infoSoftwareFirmwareVersion: repeatable(textFilter).optional(),
  measID: idFilter.optional(),
  claimable: z.enum(["enabled", "disabled"]).optional(),
  groups: repeatable(textFilter).optional(),
  sensorID: textFilter.optional(),
};

export const sensorListQuery = z.strictObject({
  ...pageQuery(["_id", "type"]),
  ...sensorFilter,
  onlyIDs: queryFlag.optional(),
  /** Continue behind this id without counting through the pages before it; only with the default sort. */
  after: idText.optional(),
});

export const listSensors = endpoint("listSensors", "GET", "/v2/sensor", {
  summary: "Sensors that the caller may view; all ids with onlyIDs",
  query: sensorListQuery,
  reply: z.union([pageReply(sensorSchema), z.array(z.string())]),
});
const bucket = <S extends z.ZodType>(id: S) => z.array(z.object({ _id: id, count: z.int() }));
export const sensorStats = endpoint("sensorStats", "GET", "/v2/sensor/stats", {
  summary: "Visible sensors counted by firmware, connection, type and license",
  query: z.strictObject({ connectionTimeout: queryNumber(timeoutHours.min, timeoutHours.max).optional() }),
  reply: z.object({
    totalByInfoFirmware: bucket(z.string().nullable()),
    totalByScomState: bucket(z.enum(["connected", "notResponding", "disconnected"])),
    totalByType: bucket(z.enum(sensorTypes)),
    totalByMonitoringLicense: bucket(z.boolean()),
  }),
});
export const getSensor = sensor.get("One sensor");
export const createSensor = sensor.create(
  newSensorSchema,
  "Makes a sensor known before its first contact; it has no credential until it enrols",
);
export const updateSensor = sensor.update(
  sensorChangeSchema,
  "Changes owner, firmware, location, groups, re-registration or REST credentials",
);
export const deleteSensor = sensor.remove("Deletes a sensor and revokes its credential");
export const grantSensorLicenses = sensor.update(
  z.strictObject({ monitoring: z.boolean().optional() }),
  "Grants or withdraws the monitoring license; the operator's root account only (306 otherwise)",
  { name: "grantSensorLicenses", part: "/licenses" },
);
