// Firmware packages: an installable file of one sensor type and one semantic version (docs/rules/firmware.md#packages).
import { z } from "zod";
import { ownerRefSchema } from "../account/account.ts";
import { errorCode } from "../errors.ts";
import { boundedRaw } from "../kit/bounded-text.ts";
import { composed } from "../kit/text-bounds.ts";
import { uuid } from "../kit/ids.ts";
import { sensorTypes } from "../device/sensor-type.ts";

/** SemVer 2.0 without a leading v. */
const semverPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

const maxVersionLength = 100;

/** Major, minor and patch are at most this: each release has a number of its own that devices compare (ADR 0018). */
export const largestNumber = 999;

/** True when one of the three numbers of a version is too large. */
export function hasLargeNumber(version: string): boolean {
  const [core = ""] = version.split(/[-+]/, 1);
  return core.split(".").some((digits) => Number(digits) > largestNumber);
}

export const firmwareVersion = boundedRaw(maxVersionLength, "Not a semantic version")
  .transform(composed)
  .refine((text) => text.length > 0, {
    error: "The semantic version string is required.",
    params: { code: errorCode.nameMissing },
    abort: true,
  })
  .refine((text) => text.length <= maxVersionLength && semverPattern.test(text), {
    error: "Not a semantic version",
    abort: true,
  })
  .refine((text) => !hasLargeNumber(text), { error: `A number of the version is above ${largestNumber}` });

const objPermSchema = z.strictObject({ childrenCanViewObject: z.boolean() });

export const firmwareSchema = z.object({
  _id: z.string(),
  name: z.string(),
  type: z.enum(sensorTypes),
  owner: ownerRefSchema,
  /**
   * The stored file: its size in bytes, and the server's Ed25519 signature (base64) over the canonical JSON of
   * `{v:1,type,size,sha256,md5}`. Null while there is none.
   */
  file: z.object({ size: z.int(), sha256: z.string(), signature: z.string() }).nullable(),
  md5: z.string().nullable(),
  objPerm: objPermSchema,
  isDeleted: z.boolean(),
  version: z.int(),
});
export type Firmware = z.output<typeof firmwareSchema>;

/** Different reasons of failures that are listed one by one. */
export const maxRolloutReasons = 20;

/** The sensors of one firmware, each of those below `assigned` in one number. */
export const rolloutSchema = z.object({
  /** Sensors that run it now, assigned or not. */
  running: z.int(),
  /** Sensors to which it was assigned last, canceled ones included. */
  assigned: z.int(),
  waiting: z.int(),
  /** Held back: they do not begin until they are resumed. */
  paused: z.int(),
  installing: z.int(),
  done: z.int(),
  failed: z.int(),
  canceled: z.int(),
  /** Done once, and the sensor reports another version since. */
  reverted: z.int(),
  /** It ran there already when it was assigned. */
  ranBefore: z.int(),
  /** The most frequent first; null where none is known. */
  reasons: z.array(z.object({ reason: z.string().nullable(), count: z.int() })),
  /** Failures for other reasons than the listed ones. */
  otherReasons: z.int(),
  /** Of those that wait or install, the sensors that are not connected. */
  offline: z.int(),
  /** Installations that were done within the last hour, as many as the pace is taken from. */
  recentlyDone: z.int(),
  /**
   * When the connected sensors that wait or install will be done, at that pace; null when it is not known, and when there are
   * none.
   */
  estimatedEndAt: z.string().nullable(),
});
export type Rollout = z.output<typeof rolloutSchema>;

/** The fields of the multipart form beside `file`; `objPerm` travels as JSON text. */
export const firmwareFields = ["name", "owner", "type", "objPerm"] as const;
export const newFirmwareSchema = z.strictObject({
  name: firmwareVersion,
  owner: uuid,
  type: z.enum(sensorTypes),
  objPerm: objPermSchema.optional(),
});
export type NewFirmware = z.output<typeof newFirmwareSchema>;
export const firmwareChangeSchema = z.strictObject({
  name: firmwareVersion.optional(),
  /** Only as it is: clients that send back what they got say it, too. */
  type: z.enum(sensorTypes).optional(),
  owner: uuid.optional(),
  objPerm: objPermSchema.optional(),
});
export type FirmwareChange = z.output<typeof firmwareChangeSchema>;
