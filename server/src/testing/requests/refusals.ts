// Sends hostile bodies to the scene's calls and looks at how they are refused.
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import { faultOfFailure } from "./failure.ts";
import { addressOf, sampleOf, type Scene, writingCalls } from "../scenes/scene.ts";

export type Refusal = {
  /** Status and code. */
  answer: [number, unknown];
  /** The field that the details name. */
  field: string;
  /** The whole exchange in one line, for a failing test. */
  exchange: string;
};

/** Sends a body, as text or as JSON, in the customer's name; throws when the answer has not the form of a failure. */
export async function refused(
  scene: Scene,
  call: AnyEndpoint,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Refusal> {
  const sample = sampleOf(call, scene.ids);
  const reply = await scene.world.call(scene.customer, call.method, addressOf(call, sample), { body, headers });
  const text = JSON.stringify(reply.body);
  const exchange = `${call.name} ${JSON.stringify(body).slice(0, 200)} → ${reply.status} ${text.slice(0, 300)}`;
  const fault = faultOfFailure({
    status: reply.status,
    contentType: reply.headers.get("content-type") ?? "",
    requestId: reply.headers.get("x-request-id"),
    text,
  });
  if (fault !== null) throw new Error(`${fault}: ${exchange}`);
  return { answer: [reply.status, reply.code], field: String(reply.at("details.field")), exchange };
}

/** The body of a call's sample. */
export function bodyOf(scene: Scene, call: AnyEndpoint): Record<string, unknown> {
  return sampleOf(call, scene.ids).body ?? {};
}

/** A writing call by its name. */
export function callNamed(name: string): AnyEndpoint {
  const found = writingCalls.find((call) => call.name === name);
  if (!found) throw new Error(`No call ${name}`);
  return found;
}
