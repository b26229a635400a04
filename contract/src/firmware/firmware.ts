// Firmware packages: an installable file for one sensor type with a semantic version (docs/rules/firmware.md#packages).
import { z } from "zod";
import { ownerRefSchema } from "../account/account.ts";
import { errorCode } from "../errors.ts";
import { boundedNormalizedText } from "../kit/bounded-text.ts";
import { normalizeText } from "../kit/text-bounds.ts";
import { uuid } from "../kit/ids.ts";
import { sensorTypes } from "../device/sensor-type.ts";

/** SemVer 2.0 without a leading v. */
export const semverPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

const maxVersionLength = 100;

/** Maximum of each version number, because devices compare releases by a single number derived from them (ADR 0018). */
export const maxVersionNumber = 999;

export function hasOversizedNumber(version: string): boolean {
  const [core = ""] = version.split(/[-+]/, 1);
  return core.split(".").some((digits) => Number(digits) > maxVersionNumber);
}

export const firmwareVersionSchema = boundedNormalizedText(maxVersionLength, "Not a semantic version")
  .transform(normalizeText)
  .refine((text) => text.length > 0, {
    error: "The semantic version string is required.",
    params: { code: errorCode.nameMissing },
    abort: true,
  })
  .refine((text) => text.length <= maxVersionLength && semverPattern.test(text), {
    error: "Not a semantic version",
    abort: true,
  })
  .refine((text) => !hasOversizedNumber(text), { error: `Version numbers can be at most ${maxVersionNumber}` });

const objPermSchema = z.strictObject({ childrenCanViewObject: z.boolean() });

export const firmwareSchema = z.object({
  _id: z.string(),
  name: z.string(),
  type: z.enum(sensorTypes),
  owner: ownerRefSchema,
  /**
   * `size` is in bytes. `signature` is the server's Ed25519 signature (base64) of the canonical JSON of
   * `{v:1,type,size,sha256,md5}`. Null while no file is stored.
   */
  file: z.object({ size: z.int(), sha256: z.string(), signature: z.string() }).nullable(),
  md5: z.string().nullable(),
  objPerm: objPermSchema,
  isDeleted: z.boolean(),
  version: z.int(),
});
export type Firmware = z.output<typeof firmwareSchema>;

export const maxRolloutReasons = 20;

/** Number of sensors per installation state of one firmware. The fields from `waiting` to `ranBefore` add up to `assigned`. */
export const rolloutSchema = z.object({
  /** Sensors that run this firmware now, whether it is assigned to them or not. */
  running: z.int(),
  /** Sensors whose last assignment was this firmware, including canceled ones. */
  assigned: z.int(),
  waiting: z.int(),
  paused: z.int(),
  installing: z.int(),
  done: z.int(),
  failed: z.int(),
  canceled: z.int(),
  /** Sensors that installed it but have since reported another version. */
  reverted: z.int(),
  /** Sensors that already ran this version when it was assigned. */
  ranBefore: z.int(),
  /** Reasons of failures, most frequent first. A reason is null if it is unknown. */
  reasons: z.array(z.object({ reason: z.string().nullable(), count: z.int() })),
  otherReasons: z.int(),
  /** Waiting and installing sensors that are disconnected. */
  offline: z.int(),
  /** Installations that finished in the last hour. `estimatedEndAt` is derived from their pace. */
  recentlyDone: z.int(),
  /**
   * When all connected sensors will probably have finished. Null if that is unknown, or if no connected sensor is waiting or
   * installing.
   */
  estimatedEndAt: z.string().nullable(),
});
export type Rollout = z.output<typeof rolloutSchema>;

/** Fields of the multipart form, in addition to `file`. `objPerm` is a JSON string. */
export const firmwareFormFields = ["name", "owner", "type", "objPerm"] as const;
export const newFirmwareSchema = z.strictObject({
  name: firmwareVersionSchema,
  owner: uuid,
  type: z.enum(sensorTypes),
  objPerm: objPermSchema.optional(),
});
export type NewFirmware = z.output<typeof newFirmwareSchema>;
export const firmwareChangeSchema = z.strictObject({
  name: firmwareVersionSchema.optional(),
  /** Accepted only if it is unchanged, for clients that send back the whole object. */
  type: z.enum(sensorTypes).optional(),
  owner: uuid.optional(),
  objPerm: objPermSchema.optional(),
});
export type FirmwareChange = z.output<typeof firmwareChangeSchema>;
