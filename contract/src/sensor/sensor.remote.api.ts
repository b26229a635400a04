// Remote functions of sensors and the API calls for them (docs/rules/sensors.md#remote-functions).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { mac } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";

/** Remote functions with the required right. Other functions are refused with 503 without calling the sensor. */
export const remoteFunctions = {
  getSnapshot: { right: "view" },
  generalUploadTest: { right: "edit" },
  resetNetworkConfig: { right: "edit" },
} as const satisfies Record<string, { right: "view" | "edit" }>;
export type RemoteFunction = keyof typeof remoteFunctions;

export const remoteTimeoutMs = 10_000;
const maxTimeoutMs = 60_000;
const maxDataLength = 4096;

const remoteCallSchema = z.strictObject({
  func: safeText(64),
  /** JSON in base64, or empty. */
  data: boundedText(maxDataLength).check(z.base64()).optional(),
  timeout: z.int().min(1).max(maxTimeoutMs),
});
export type RemoteCall = z.output<typeof remoteCallSchema>;

/** `data` of getSnapshot: width in pixels, and whether people are blurred. */
export const snapshotSchema = z.strictObject({ width: z.int().min(16).optional(), blur: z.boolean().optional() });
type SnapshotOptions = z.output<typeof snapshotSchema>;
/** Larger widths are reduced to this value. */
const maxSnapshotWidth = 1280;
/** Maximum for callers who may not edit the sensor. The console also requests these values. */
export const viewerSnapshotLimits = { width: 640, blur: true } as const satisfies SnapshotOptions;

/** Returns the options to forward to the sensor. Null means that the sensor uses its defaults. */
export function limitSnapshot(wanted: SnapshotOptions, mayEdit: boolean): SnapshotOptions | null {
  const { width, blur } = wanted;
  if (!mayEdit)
    return {
      ...viewerSnapshotLimits,
      width: Math.min(width ?? viewerSnapshotLimits.width, viewerSnapshotLimits.width),
    };
  if (width === undefined && blur === undefined) return null;
  return { ...wanted, ...(width === undefined ? {} : { width: Math.min(width, maxSnapshotWidth) }) };
}

/** The `data` of generalUploadTest: number of bytes, and a target URL, which must be one of our hosts. */
export const uploadTestSchema = z.strictObject({
  url: boundedText(255).optional(),
  bytes: z
    .int()
    .min(1)
    .max(16 * 1024 * 1024)
    .optional(),
});
/** Result of generalUploadTest: HTTP status, bytes sent, duration in ms and speed in kbit/s. */
export const uploadResultSchema = z.object({
  http: z.int().min(100).max(599),
  bytes: z.int().min(0),
  ms: z.number().min(0),
  kbps: z.number().min(0),
});
export type UploadResult = z.output<typeof uploadResultSchema>;
/** Result of resetNetworkConfig, sent before the sensor restarts its network. */
export const networkResetResultSchema = z.object({ willApplyInS: z.number().min(0).max(3600) });
/** `data` of resetNetworkConfig: the sensor's id as confirmation. */
export const networkResetSchema = z.strictObject({ confirm: boundedText(64).optional() });

const byId = z.strictObject({ id: mac });

export const requestSensor = endpoint("requestSensor", "POST", "/sensor/{id}/request", {
  summary: "Asks a sensor to run a function and waits for its answer; codes 500 to 511 tell what went wrong",
  params: byId,
  body: remoteCallSchema,
  reply: z.object({
    ok: z.literal(true),
    func: z.string(),
    /** Base64, all parts joined. */
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
