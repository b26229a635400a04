// Sends malformed bodies to the scene's calls and checks the refusals.
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import { findFailureFault } from "./failure.ts";
import { addressOf, sampleOf, writingCalls } from "../scenes/samples.ts";
import type { Scene } from "../scenes/scene.ts";

export type Refusal = {
  answer: [number, unknown];
  field: string;
  exchange: string;
};

/** Sends a body, as a string or JSON, as the customer; throws if the response is not a valid failure. */
export async function expectRefusal(
  scene: Scene,
  call: AnyEndpoint,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Refusal> {
  const sample = sampleOf(call, scene.ids);
  const reply = await scene.world.call(scene.customer, call.method, addressOf(call, sample), { body, headers });
  const text = JSON.stringify(reply.body);
  const exchange = `${call.name} ${JSON.stringify(body).slice(0, 200)} → ${reply.status} ${text.slice(0, 300)}`;
  const fault = findFailureFault({
    status: reply.status,
    contentType: reply.headers.get("content-type") ?? "",
    requestId: reply.headers.get("x-request-id"),
    text,
  });
  if (fault !== null) throw new Error(`${fault}: ${exchange}`);
  return { answer: [reply.status, reply.code], field: String(reply.at("details.field")), exchange };
}

export function bodyOf(scene: Scene, call: AnyEndpoint): Record<string, unknown> {
  return (sampleOf(call, scene.ids).body ?? {}) as Record<string, unknown>;
}

export function callNamed(name: string): AnyEndpoint {
  const found = writingCalls.find((call) => call.name === name);
  if (!found) throw new Error(`No call ${name}`);
  return found;
}
