// What a live view asks its sensor, and what is said when the sensor does not answer. Nothing of it is kept.
import { previewSchemas } from "@psp/contract/section/preview.ts";
import { applications } from "@psp/contract/section/psc1/applications.ts";
import { type RpcError, rpcErrors } from "@psp/contract/section/rpc.ts";
import { rpcSensor } from "@psp/contract/section/section.api.ts";
import type { PreviewKind } from "@psp/contract/section/sections.ts";
import { sectionAnswerSchema } from "@psp/contract/section/wire.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { z } from "zod";
import { call, CallError } from "../../api/call.ts";
import { failureText } from "../../api/useFailure.ts";
import { drawnItems, type DrawnItem } from "../drawing/drawn-items.ts";
import { previewText as text } from "./preview.text.ts";

export type PreviewOf<K extends PreviewKind> = z.output<(typeof previewSchemas)[K]>;

/** What the device said instead of an answer. */
class DeviceRefusal extends Error {
  readonly code: number;
  constructor({ code, message }: RpcError) {
    super(message);
    this.name = "DeviceRefusal";
    this.code = code;
  }
}

type Question = { method: "preview.get" | "config.get"; params: Record<string, string> };

/** A device is believed as far as the form of its answer goes. */
async function ask<T>(id: string, question: Question, form: z.ZodType<T>, signal: AbortSignal): Promise<T> {
  const answer = await call(rpcSensor, { params: { id }, body: { jsonrpc: "2.0", id: 1, ...question }, signal });
  if (answer.error !== undefined) throw new DeviceRefusal(answer.error);
  const { data, error } = form.safeParse(answer.result);
  if (error !== undefined) throw new Error(text.unreadable);
  return data;
}

export function askPreview<K extends PreviewKind>(id: string, kind: K, signal: AbortSignal): Promise<PreviewOf<K>> {
  const form: z.ZodType<unknown> = previewSchemas[kind];
  return ask(id, { method: "preview.get", params: { kind } }, form, signal) as Promise<PreviewOf<K>>;
}

/** The lines and zones of a PS.C1. */
export async function askShapes(id: string, signal: AbortSignal): Promise<DrawnItem[]> {
  const question: Question = { method: "config.get", params: { section: applications.key } };
  const { values } = await ask(id, question, sectionAnswerSchema(applications), signal);
  return drawnItems(values);
}

/** Can it be asked at all? */
export const isReachable = ({ psconnect }: Sensor) => psconnect?.connectionStatus === "connected";

const lostSensor = 509;
/** The server found it gone, before the page learned so. */
export const isGone = (error: unknown) => error instanceof CallError && error.code === lostSensor;

/** Without the number of the request, which would be another one at each try. */
export function sentenceOf(error: unknown): string {
  if (isGone(error)) return text.offline;
  if (error instanceof CallError) return error.status === 429 ? failureText(error) : error.message;
  if (!(error instanceof DeviceRefusal)) return text.unreadable;
  if (error.code === rpcErrors.busy) return text.busy;
  if (error.code === rpcErrors.unknownMethod) return text.unknownMethod;
  return error.message === "" ? text.unreadable : text.saysOf(error.message);
}
