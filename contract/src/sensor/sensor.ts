// Sensors: the assignment of a device, its desired state and its reported state (docs/rules/sensors.md#sensor-object).
import { z } from "zod";
import { ownerRefSchema } from "../account/account.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { mac, uuid } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";
import { issueTypes, openIssueStatuses } from "../monitoring/issue-words.ts";
import { monitoringConfigSchema } from "../monitoring/monitoring-config.ts";
import { vpnSchema } from "../vpn/vpn.ts";
import { installStates } from "../device/device-messages.ts";
import { sensorTypes } from "../device/sensor-type.ts";

const presenceSchema = z.object({
  conAt: z.string().nullable(),
  disconAt: z.string().nullable(),
  lastContactAt: z.string().nullable(),
  isConnected: z.boolean(),
  isConnectedButDoesntRespond: z.boolean(),
});
export type Presence = z.output<typeof presenceSchema>;

const refSchema = z.object({ _id: z.string(), name: z.string(), isDeleted: z.boolean() });

/** A reference to a deleted or hidden object is either `{_id, name, isDeleted: true}` or null. */
export const firmwareRefSchema = refSchema.extend({ type: z.enum(sensorTypes) });
const locationRefSchema = refSchema.extend({
  location: z.object({ timezone: z.string().nullable() }),
});

const updateTaskStatuses = ["UpdateInitiatedOnSensor", "UpdateFailed", "UpdateCanceled"] as const;

const openIssueSchema = z.object({
  issueType: z.enum(issueTypes),
  issueStatus: z.enum(openIssueStatuses),
  isAcknowledged: z.boolean(),
});
export type OpenIssue = z.output<typeof openIssueSchema>;

/** Null for viewers who may not view that sensor. */
const replacementRefSchema = z.object({ _id: z.string(), isDeleted: z.boolean() });

export const sensorSchema = z.object({
  _id: z.string(),
  owner: ownerRefSchema,
  type: z.enum(sensorTypes),
  measurement: locationRefSchema.nullable(),
  artifact: firmwareRefSchema.nullable(),
  artifactRunning: firmwareRefSchema.nullable(),
  /** As reported by the device; `software.firmware.version` is the running version. */
  info: z.record(z.string(), z.unknown()).nullable(),
  groups: z.array(z.string()),
  claimable: z.boolean(),
  /** Null for callers who may not edit the sensor. */
  claimingCode: z.string().nullable(),
  scomState: presenceSchema,
  sensorFeatureCredentials: z.array(z.object({ feature: z.literal("restapi"), username: z.string() })),
  sensorUpdateTask: z
    .object({
      status: z.enum(updateTaskStatuses).nullable(),
      artifactID: z.string(),
      createdAt: z.string(),
      createdByAccount: z.string(),
      statusChangedAt: z.string().nullable(),
      info: z.string().nullable(),
    })
    .nullable(),
  artifactInstallationState: z.object({ ok: z.boolean(), state: z.enum(installStates) }).nullable(),
  monitoringConfig: z.unknown().nullable(),
  types: z.array(z.string()),
  /** At most one issue per type; errors come first. */
  openIssues: z.array(openIssueSchema),
  issueStatus: z.enum(openIssueStatuses).nullable(),
  licenses: z.object({ monitoring: z.boolean() }),
  /** Null until the device has reported that it supports the VPN. */
  vpn: vpnSchema.nullable(),
  psconnect: z.object({ connectionStatus: z.string(), statusChangedAt: z.string().nullable() }).nullable(),
  /** The sensor that took this one's place, until this one gets a location again. */
  replacedBy: replacementRefSchema.nullable(),
  /** The sensor whose place this one took. */
  replaces: replacementRefSchema.nullable(),
  isDeleted: z.boolean(),
  version: z.int(),
});
export type Sensor = z.output<typeof sensorSchema>;

export const groupLimits = { length: 100, count: 100 } as const;
export const maxRestCredentialLength = 256;
export const groupNameSchema = safeText(groupLimits.length).refine((text) => text.length > 0, { error: "Empty group" });

const ifMissing = (words: string) => (issue: { input?: unknown }) => (issue.input === undefined ? words : undefined);

/** A device sends id and type when it enrolls. To create a sensor earlier, the user must enter them. */
export const newSensorSchema = z.strictObject({
  owner: uuid,
  _id: z.string({ error: ifMissing("Enter the sensor ID, the MAC address on its label") }).pipe(mac),
  type: z.enum(sensorTypes, { error: ifMissing(`Enter the sensor type: ${sensorTypes.join(", ")}`) }),
});

/** Null and the empty string clear the reference. */
const clearable = z.union([uuid, z.literal(""), z.null()]).transform((value) => value || null);

export const sensorChangeSchema = z.strictObject({
  owner: uuid.optional(),
  artifact: clearable.optional(),
  groups: z.array(groupNameSchema).max(groupLimits.count).nullable().optional(),
  claimable: z.boolean().optional(),
  measID: clearable.optional(),
  sensorFeatureCredentials: z
    .array(
      z.strictObject({
        feature: z.literal("restapi"),
        username: safeText(maxRestCredentialLength),
        password: boundedText(maxRestCredentialLength).optional(),
      }),
    )
    .max(1)
    .optional(),
  /** Replaces the whole configuration. Null means that the location's configuration applies. */
  monitoringConfig: monitoringConfigSchema.nullable().optional(),
  /** True connects the sensor to its VPN for an hour, and false disconnects it. */
  connectToVPN: z.boolean().optional(),
});
export type SensorChange = z.output<typeof sensorChangeSchema>;
