// Remote functions: what people may ask a sensor to do, and the calls that carry it (docs/rules/sensors.md#remote-functions).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { mac } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";

/** Each function with the right that it needs. Others are refused with 503, and the sensor is not asked. */
export const remoteFunctions = {
  getSnapshot: { right: "view" },
  generalUploadTest: { right: "edit" },
  resetNetworkConfig: { right: "edit" },
} as const satisfies Record<string, { right: "view" | "edit" }>;
export type RemoteFunction = keyof typeof remoteFunctions;

/** How long the console waits for a sensor. */
export const remoteTimeoutMs = 10_000;
const maxTimeoutMs = 60_000;
/** Options are a few words of JSON; a device must not be fed more. */
const maxDataLength = 4096;

const remoteCallSchema = z.strictObject({
  func: safeText(64),
  /** JSON in base64, or empty. */
  data: boundedText(maxDataLength).check(z.base64()).optional(),
  timeout: z.int().min(1).max(maxTimeoutMs),
});
export type RemoteCall = z.output<typeof remoteCallSchema>;

/** What `data` of getSnapshot may say: pixels across, and whether people are made unrecognizable. */
export const snapshotSchema = z.strictObject({ width: z.int().min(16).optional(), blur: z.boolean().optional() });
type SnapshotOptions = z.output<typeof snapshotSchema>;
/** A wider picture is requested at this width. */
const maxSnapshotWidth = 1280;
/** The most that somebody without the edit right gets to see, and what the console asks for. */
export const modestSnapshot = { width: 640, blur: true } as const satisfies SnapshotOptions;

/** The picture that is asked for, when this one is wanted; null leaves it to the sensor. */
export function snapshotFor(wanted: SnapshotOptions, mayEdit: boolean): SnapshotOptions | null {
  const { width, blur } = wanted;
  if (!mayEdit) return { ...modestSnapshot, width: Math.min(width ?? modestSnapshot.width, modestSnapshot.width) };
  if (width === undefined && blur === undefined) return null;
  return { ...wanted, ...(width === undefined ? {} : { width: Math.min(width, maxSnapshotWidth) }) };
}

/** What `data` of generalUploadTest may say: where to, only at a host of ours, and how many bytes. */
export const uploadTestSchema = z.strictObject({
  url: boundedText(255).optional(),
  bytes: z
    .int()
    .min(1)
    .max(16 * 1024 * 1024)
    .optional(),
});
/** What a sensor answers to generalUploadTest: HTTP status, bytes sent, milliseconds, kilobits per second. */
export const uploadResultSchema = z.object({
  http: z.int().min(100).max(599),
  bytes: z.int().min(0),
  ms: z.number().min(0),
  kbps: z.number().min(0),
});
export type UploadResult = z.output<typeof uploadResultSchema>;
/** What a sensor answers to resetNetworkConfig: it answers first and restarts its network some seconds later. */
export const networkResetResultSchema = z.object({ willApplyInS: z.number().min(0).max(3600) });
/** What `data` of resetNetworkConfig may say: the id of the sensor that is meant. */
export const networkResetSchema = z.strictObject({ confirm: boundedText(64).optional() });

const byId = z.strictObject({ id: mac });

export const requestSensor = endpoint("requestSensor", "POST", "/sensor/{id}/request", {
  summary: "Asks a sensor to run a function and waits for its answer; codes 500 to 511 tell what went wrong",
  params: byId,
  body: remoteCallSchema,
  reply: z.object({
    ok: z.literal(true),
    func: z.string(),
    /** Base64, all parts in one. */
    data: z.string(),
    ct: z.string().nullable(),
    /** Milliseconds since 1970, by the sensor's clock. */
    timestamp: z.number(),
    durMs: z.number().nullable(),
  }),
});
export const publishToSensor = endpoint("publishToSensor", "POST", "/sensor/{id}/publish", {
  summary: "Asks a sensor to run a function and does not wait: 202 when it was sent",
  params: byId,
  body: remoteCallSchema,
  reply: z.object({}),
});
