// MQTT 5 payloads of SDP/1 between sensors and cloud (docs/device-protocol.md).
// Both sides ignore unknown fields, so that old and new versions can talk.
import { z } from "zod";
import { boundedText, deviceText } from "../kit/bounded-text.ts";
import { protocolLimits } from "./device-topics.ts";
import { sensorTypes } from "./sensor-type.ts";

/**
 * Milliseconds since 1970, UTC. The schema accepts years before 2000 and after 2100, because a broken clock is handled for each
 * record.
 */
export const epochMsSchema = z.int().min(-8.64e15).max(8.64e15);
export const countSchema = z.int().min(0).max(1_000_000);
const seconds = z.int().min(0).max(86_400);
export const labelSchema = boundedText(64).min(1);

function optionalKeys<const N extends string, V extends z.ZodType>(names: readonly N[], value: V) {
  const shape = Object.fromEntries(names.map((name) => [name, value.optional()]));
  return z.object(shape as Record<N, z.ZodOptional<V>>);
}

// enrollment (HTTPS, before the device has a credential)

export const enrolSchema = z.object({
  token: boundedText(200).min(1),
  id: boundedText(32).min(1),
  type: z.enum(sensorTypes),
  hw: deviceText(64).optional(),
  fw: boundedText(64).optional(),
  claimHint: boundedText(64).optional(),
  /**
   * Certificate signing request (PEM, or DER in base64), signed with the device key. On re-enrollment it proves that this is the
   * same device. A bare public key (SPKI in base64) is still accepted for one more release.
   */
  csr: boundedText(4096).optional(),
  /** The current or previous MQTT password, accepted as proof instead of `csr`. */
  credential: boundedText(200).optional(),
  nonce: boundedText(128),
  time: epochMsSchema,
});
export type Enrollment = z.output<typeof enrolSchema>;

export const enrolReplySchema = z.object({
  sensorId: z.string(),
  mqtt: z.object({
    host: z.string(),
    port: z.int(),
    tls: z.boolean(),
    username: z.string(),
    clientId: z.string(),
    password: z.string(),
  }),
  hostState: z.string(),
  serverTime: epochMsSchema,
  claimingCode: z.string(),
  /** Ed25519 public key (32 raw bytes in base64) that verifies firmware manifests. */
  fwKey: z.string(),
});
export type EnrolReply = z.output<typeof enrolReplySchema>;

export const rebootReasons = ["power", "user", "fw", "watchdog", "crash", "unknown"] as const;

export const birthSchema = z.object({
  online: z.literal(true),
  sid: boundedText(64).min(1),
  n: z.int().min(0),
  bootId: boundedText(64).optional(),
  bootAt: epochMsSchema.optional(),
  reason: z.enum(rebootReasons).optional(),
  type: z.enum(sensorTypes).optional(),
  fw: boundedText(64).optional(),
  hw: deviceText(64).optional(),
  proto: z.int().optional(),
  /** Buffer epoch and the range of record numbers that the device holds. */
  ep: boundedText(64).min(1),
  seq: z.object({ first: z.int().min(1), next: z.int().min(1) }),
  caps: z.array(boundedText(32)).max(32).default([]),
  clock: z
    .object({ now: epochMsSchema, synced: z.boolean(), src: deviceText(16).optional(), offMs: z.number().optional() })
    .optional(),
  ip: deviceText(64).optional(),
});
export type Birth = z.output<typeof birthSchema>;

export const deathSchema = z.object({
  online: z.literal(false),
  sid: boundedText(64).min(1),
  n: z.int().min(0).optional(),
  why: deviceText(32).optional(),
});
export type Death = z.output<typeof deathSchema>;
export const deviceStateSchema = z.union([birthSchema, deathSchema]);

export const reportedStateSchema = z.object({
  rev: z.int().min(0).optional(),
  applied: z.int().min(0).optional(),
  error: z.object({ code: deviceText(64), message: deviceText(500) }).nullish(),
  cfg: z.record(boundedText(64), z.unknown()).optional(),
  vpn: z
    .object({ state: deviceText(16), address: deviceText(64).optional(), since: epochMsSchema.optional() })
    .optional(),
  psconnect: z.object({ connectionStatus: deviceText(32), statusChangedAt: epochMsSchema.optional() }).optional(),
  info: z.record(boundedText(64), z.unknown()).optional(),
  lines: z
    .array(z.object({ id: labelSchema, name: deviceText(100), kind: deviceText(32).optional() }))
    .max(64)
    .optional(),
  /** Id of the last `cred` command whose new password is stored on the device but has not been used to connect. */
  cred: boundedText(64).optional(),
});
export type ReportedState = z.output<typeof reportedStateSchema>;

export const countIntervalSeconds = [60, 300, 600, 900, 1800, 3600] as const;
export const objectClasses = ["adult", "child", "group", "cart", "staff", "other"] as const;
export const clockQualities = ["ok", "est", "bad"] as const;
/** Lens view: 0 clear, 1 covered, 3 too dark, 5 too bright. */
export const osdCodes = [0, 1, 3, 5] as const;
const osd = z.union(osdCodes.map((code) => z.literal(code)));

/** Readings are informational only, so invalid ones are dropped instead of rejecting the record. */
const reading = z.number().optional().catch(undefined);

const recordBase = { q: z.int().min(1), s: epochMsSchema, e: epochMsSchema, ck: z.enum(clockQualities).default("ok") };

export const countRecordSchema = z.object({
  ...recordBase,
  t: z.literal("count"),
  osd: osd.default(0),
  lines: z
    .array(
      z.object({
        id: labelSchema,
        name: deviceText(100).optional(),
        in: countSchema,
        out: countSchema,
        cls: optionalKeys(objectClasses, z.tuple([countSchema, countSchema])).optional(),
      }),
    )
    .max(32),
  upS: seconds.optional(),
  tot: z.tuple([z.int().min(0), z.int().min(0)]).optional(),
  /** Marks a correction. It replaces the earlier record that has the same start but a different number. */
  cor: z.boolean().optional(),
});
export type CountRecord = z.output<typeof countRecordSchema>;

export const occupancyRecordSchema = z.object({
  ...recordBase,
  t: z.literal("occ"),
  zones: z
    .array(
      z.object({
        id: labelSchema,
        name: deviceText(100).optional(),
        min: countSchema,
        max: countSchema,
        avg: z.number().min(0),
        last: countSchema,
      }),
    )
    .max(32),
});
export const dwellRecordSchema = z.object({
  ...recordBase,
  t: z.literal("dwell"),
  zones: z
    .array(z.object({ id: labelSchema, n: countSchema, avgS: z.number().min(0), maxS: z.number().min(0) }))
    .max(32),
});
export const healthRecordSchema = z.object({
  ...recordBase,
  t: z.literal("health"),
  upS: seconds,
  mqttS: seconds.optional(),
  reboots: optionalKeys(rebootReasons, countSchema).default({}),
  wd: countSchema.default(0),
  /** Seconds per lens view code (see `osdCodes`). */
  osd: z.record(boundedText(2), seconds).optional(),
  tempC: reading,
  cpu: reading,
  memFree: reading,
  disk: reading,
  clockOffMs: reading,
});
export const eventRecordSchema = z.object({
  ...recordBase,
  e: epochMsSchema.optional(),
  t: z.literal("event"),
  kind: boundedText(32).min(1),
  at: epochMsSchema.optional(),
  from: z.unknown().optional(),
  to: z.unknown().optional(),
  detail: z.record(boundedText(64), z.unknown()).optional(),
});
export const positionRecordSchema = z.object({
  ...recordBase,
  t: z.literal("position"),
  lat: z.number().min(-90).max(90),
  lng: z.number().min(-180).max(180),
  speed: z.number().min(0).max(1000).optional(),
});
export const recordSchema = z.discriminatedUnion("t", [
  countRecordSchema,
  occupancyRecordSchema,
  dwellRecordSchema,
  healthRecordSchema,
  eventRecordSchema,
  positionRecordSchema,
]);
export type DeviceRecord = z.output<typeof recordSchema>;

/** Records are validated one by one later, so that an invalid one becomes a dead letter and the others are stored. */
export const recordBatchSchema = z.object({
  v: z.literal(1).optional(),
  sid: boundedText(64).optional(),
  ep: boundedText(64).min(1),
  sent: epochMsSchema.optional().catch(undefined),
  recs: z.array(z.unknown()).max(protocolLimits.batchRecords),
});

/** All records up to number `upTo` are stored, except those in `holes`, which are pairs of first and last number. */
export const ackSchema = z.object({
  ep: z.string(),
  upTo: z.int().min(0),
  holes: z.array(z.tuple([z.int(), z.int()])),
  serverTime: epochMsSchema.optional(),
});
export type Ack = z.output<typeof ackSchema>;

export const installStates = ["INITIATE", "DOWNLOAD", "DOWNLOADED", "RUNNING", "FINISHED", "ERROR"] as const;
export const jobReportSchema = z.object({
  job: boundedText(64).min(1),
  state: z.enum(installStates),
  ok: z.boolean(),
  pct: z.number().min(0).max(100).optional(),
  bytes: z.int().min(0).optional(),
  code: deviceText(64).nullish(),
  message: deviceText(500).nullish(),
  at: epochMsSchema,
  n: z.int().min(0),
});
export type JobReport = z.output<typeof jobReportSchema>;

/** `sig` signs the canonical JSON (RFC 8785) of the manifest without `sig`. */
export const firmwareManifestSchema = z.object({
  job: z.string(),
  artifact: z.string(),
  type: z.enum(sensorTypes),
  version: z.string(),
  url: boundedText(255),
  size: z.int(),
  sha256: z.string(),
  md5: z.string(),
  seq: z.int(),
  vendor: z.string(),
  class: z.string(),
  minFrom: z.string().nullable(),
  exp: epochMsSchema,
  window: z.object({ from: z.string(), to: z.string() }).nullable(),
  validH: z.int(),
  sig: z.string(),
});
export type FirmwareManifest = z.output<typeof firmwareManifestSchema>;

export const desiredStateSchema = z.object({
  rev: z.int().min(0),
  cfg: z.object({
    countIntervalS: z.union(countIntervalSeconds.map((length) => z.literal(length))).default(300),
    health: z.boolean().default(true),
    liveFlow: z.boolean().default(false),
  }),
  vpn: z.object({ connect: z.boolean(), until: epochMsSchema.optional() }).optional(),
  psconnect: z.object({ enabled: z.boolean() }).optional(),
  fw: firmwareManifestSchema.nullable().default(null),
});
export type DesiredState = z.output<typeof desiredStateSchema>;

export const deviceCommandSchema = z.discriminatedUnion("do", [
  z.object({ do: z.literal("rebirth") }),
  z.object({ do: z.literal("resend"), ep: z.string(), from: z.int().min(1), to: z.int().min(1) }),
  z.object({ do: z.literal("cred"), id: z.string(), password: z.string() }),
  z.object({ do: z.literal("log"), level: z.string() }),
]);
export type DeviceCommand = z.output<typeof deviceCommandSchema>;

export const hostStateSchema = z.object({ online: z.boolean(), ts: epochMsSchema });
