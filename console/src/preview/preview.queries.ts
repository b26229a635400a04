// RPC requests of live views, and messages for their failures. Responses are not cached.
import { previewSchemas } from "@psp/contract/section/preview.ts";
import { applicationsSection } from "@psp/contract/section/psc1/applications.ts";
import type { PreviewKind } from "@psp/contract/section/sections.ts";
import { sectionResponseSchema } from "@psp/contract/section/wire.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { z } from "zod";
import { CallError } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { toDrawnItems, type DrawnItem } from "./drawing/drawn-items.ts";
import { sensorRpcText } from "../sensor/sensor-page.text.ts";
import { callSensor, isSensorUnreachable, refusalMessage, SensorRefusedError } from "../sensor/sensor.rpc.ts";
import { previewText as text } from "./preview.text.ts";

export type PreviewOf<K extends PreviewKind> = z.output<(typeof previewSchemas)[K]>;

/** Validates the response, because devices are not trusted. */
function read<T>(result: unknown, form: z.ZodType<T>): T {
  const { data, error } = form.safeParse(result);
  if (error !== undefined) throw new Error(sensorRpcText.unreadable);
  return data;
}

export async function requestPreview<K extends PreviewKind>(
  id: string,
  kind: K,
  signal: AbortSignal,
): Promise<PreviewOf<K>> {
  const form: z.ZodType<unknown> = previewSchemas[kind];
  return read(await callSensor(id, "preview.get", { kind }, signal), form) as PreviewOf<K>;
}

export async function requestShapes(id: string, signal: AbortSignal): Promise<DrawnItem[]> {
  const result = await callSensor(id, "config.get", { section: applicationsSection.key }, signal);
  return toDrawnItems(read(result, sectionResponseSchema(applicationsSection)).values);
}

export const isReachable = ({ psconnect }: Sensor) => psconnect?.connectionStatus === "connected";

/** Error message without the request id, because the id would change on each retry. */
export function failureMessage(error: unknown): string {
  if (isSensorUnreachable(error)) return text.offline;
  if (error instanceof CallError) return error.status === 429 ? failureText(error) : error.message;
  return error instanceof SensorRefusedError ? refusalMessage(error, text.unknownMethod) : sensorRpcText.unreadable;
}
