// What a live view asks its sensor, and what is said when the sensor does not answer. Nothing of it is kept.
import { previewSchemas } from "@psp/contract/section/preview.ts";
import { applications } from "@psp/contract/section/psc1/applications.ts";
import type { PreviewKind } from "@psp/contract/section/sections.ts";
import { sectionAnswerSchema } from "@psp/contract/section/wire.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { z } from "zod";
import { CallError } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { drawnItems, type DrawnItem } from "./drawing/drawn-items.ts";
import { sensorRpcText } from "../sensor/sensor-page.text.ts";
import { askSensor, isOutOfReach, refusalSentence, SensorRefusal } from "../sensor/sensor.rpc.ts";
import { previewText as text } from "./preview.text.ts";

export type PreviewOf<K extends PreviewKind> = z.output<(typeof previewSchemas)[K]>;

/** A device is believed as far as the form of its answer goes. */
function read<T>(result: unknown, form: z.ZodType<T>): T {
  const { data, error } = form.safeParse(result);
  if (error !== undefined) throw new Error(sensorRpcText.unreadable);
  return data;
}

export async function askPreview<K extends PreviewKind>(
  id: string,
  kind: K,
  signal: AbortSignal,
): Promise<PreviewOf<K>> {
  const form: z.ZodType<unknown> = previewSchemas[kind];
  return read(await askSensor(id, "preview.get", { kind }, signal), form) as PreviewOf<K>;
}

/** The lines and zones of a PS.C1. */
export async function askShapes(id: string, signal: AbortSignal): Promise<DrawnItem[]> {
  const result = await askSensor(id, "config.get", { section: applications.key }, signal);
  return drawnItems(read(result, sectionAnswerSchema(applications)).values);
}

export const isReachable = ({ psconnect }: Sensor) => psconnect?.connectionStatus === "connected";

/** Without the number of the request, which would be another one at each try. */
export function sentenceOf(error: unknown): string {
  if (isOutOfReach(error)) return text.offline;
  if (error instanceof CallError) return error.status === 429 ? failureText(error) : error.message;
  return error instanceof SensorRefusal ? refusalSentence(error, text.unknownMethod) : sensorRpcText.unreadable;
}
