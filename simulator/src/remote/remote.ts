// Remote functions: requests with a correlation id, answered once (docs/device-protocol.md#8-requests-and-commands).
import type { IPublishPacket } from "mqtt";
import { upTopic } from "@psp/contract/device/device-topics.ts";
import { rpcRequestSchema } from "@psp/contract/device/device-rpc.ts";
import { wireId } from "@psp/contract/kit/ids.ts";
import { computeTally } from "../counting/tally.ts";
import { causeOf } from "../link/enrol.ts";
import { drawSnapshot } from "./snapshot.ts";
import { wallClock, type Sensor } from "../device/sensor-state.ts";

const rememberMs = 10 * 60_000;
/** Maximum size of one part, before base64. */
const partBytes = 384 * 1024;
const maxUploadBytes = 16 * 1024 * 1024;

class Refusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Result = { data: Buffer; ct: string };

/** Responds on the response topic; ignores foreign topics, stale requests and duplicates in progress. */
export function onRpc(sensor: Sensor, body: unknown, properties: IPublishPacket["properties"]): void {
  const topic = properties?.responseTopic;
  const correlation = properties?.correlationData;
  if (!topic?.startsWith(upTopic(sensor.id, "rpc/")) || !correlation) return;
  const now = sensor.env.clock.now();
  if (!sensor.world.answers(now)) return;
  const answer = (parts: string[]): void => {
    for (const part of parts) sensor.link?.publish(topic, part, { expiryS: 60, correlation });
  };
  const request = rpcRequestSchema.safeParse(body);
  if (!request.success)
    return answer([JSON.stringify({ ok: false, code: "MALFORMED", message: "The request is not understood" })]);
  const { func, data, timeout, at } = request.data;
  const isSynced = sensor.clockState === "ok";
  if (isSynced && now > at + timeout) return;

  for (const [key, known] of sensor.answers) if (now - known.at > rememberMs) sensor.answers.delete(key);
  const key = correlation.toString("hex");
  const known = sensor.answers.get(key);
  if (known) return known.payload ? answer(known.payload.split("\n")) : undefined;
  sensor.answers.set(key, { at: now, payload: "" });

  const startedAt = performance.now();
  void perform(sensor, func, data)
    .then(
      (result) => answerParts(func, result, now, performance.now() - startedAt),
      (error: unknown) => [
        JSON.stringify({
          ok: false,
          code: error instanceof Refusal ? error.code : "FAILED",
          message: causeOf(error).slice(0, 500),
        }),
      ],
    )
    .then((parts) => {
      // Large responses, such as pictures, are not cached: a repeated request is performed again.
      const payload = parts.join("\n");
      if (payload.length < 4096) sensor.answers.set(key, { at: now, payload });
      else sensor.answers.delete(key);
      answer(parts);
    });
}

function answerParts(func: string, { data, ct }: Result, timestamp: number, durMs: number): string[] {
  const parts = Math.max(1, Math.ceil(data.length / partBytes));
  return Array.from({ length: parts }, (_, index) =>
    JSON.stringify({
      ok: true,
      func,
      data: data.subarray(index * partBytes, (index + 1) * partBytes).toString("base64"),
      ct,
      timestamp,
      durMs: Math.round(durMs),
      part: index + 1,
      parts,
    }),
  );
}

async function perform(sensor: Sensor, func: string, data: string): Promise<Result> {
  switch (func) {
    case "ping":
      return jsonResult({});
    case "getSnapshot":
      return takeSnapshot(sensor, optionsOf(data));
    case "generalUploadTest":
      return jsonResult(await uploadTest(sensor, optionsOf(data)));
    case "resetNetworkConfig":
      return jsonResult(resetNetwork(sensor, optionsOf(data)));
    default:
      throw new Refusal("UNKNOWN", `There is no function ${func.slice(0, 40)}`);
  }
}

function jsonResult(value: unknown): Result {
  return { data: Buffer.from(JSON.stringify(value)), ct: "application/json" };
}

function optionsOf(data: string): Record<string, unknown> {
  if (!data) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(data, "base64").toString("utf8"));
    if (typeof value === "object" && value !== null) return { ...value };
  } catch {
    // Invalid JSON gets the same error as JSON that is not an object.
  }
  throw new Refusal("MALFORMED", "The data is not JSON in base64");
}

function takeSnapshot(sensor: Sensor, options: Record<string, unknown>): Result {
  const at = sensor.env.clock.now();
  const width = typeof options["width"] === "number" ? Math.min(1280, Math.max(16, Math.round(options["width"]))) : 640;
  // Shows the people counted in the last minutes.
  const { lines } = computeTally(sensor.profile, sensor.world, at - 120_000, at);
  const people = lines.reduce((sum, line) => sum + line.in + line.out, 0);
  const { seed } = sensor.profile;
  const scene = {
    seed,
    width,
    blur: options["blur"] !== false,
    people,
    view: sensor.world.view(at),
    lines: lines.length,
    at,
  };
  return { data: drawSnapshot(scene), ct: "image/png" };
}

async function uploadTest(sensor: Sensor, options: Record<string, unknown>): Promise<unknown> {
  const bytes = Math.min(
    maxUploadBytes,
    typeof options["bytes"] === "number" ? Math.max(0, Math.round(options["bytes"])) : 262_144,
  );
  const url = typeof options["url"] === "string" ? options["url"] : null;
  if (!url) throw new Refusal("NO_URL", "No address to upload to");
  if (!sensor.url || URL.parse(url)?.origin !== new URL(sensor.url).origin)
    throw new Refusal("FOREIGN_URL", "The address is not the platform's");
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: "POST",
    body: Buffer.alloc(bytes, 0x5a),
    headers: { "content-type": "application/octet-stream" },
    signal: AbortSignal.timeout(30_000),
  });
  await response.arrayBuffer();
  const ms = Math.max(1, Math.round(performance.now() - startedAt));
  return { http: response.status, bytes, ms, kbps: Math.round((bytes * 8) / ms) };
}

/** Responds first; the network restarts five seconds later. */
function resetNetwork(sensor: Sensor, options: Record<string, unknown>): unknown {
  const confirmed = options["confirm"];
  if (confirmed !== undefined && (typeof confirmed !== "string" || wireId(confirmed) !== wireId(sensor.id)))
    throw new Refusal("CONFIRM", "The confirmation names another sensor");
  const { clock } = sensor.env;
  clock.at(clock.now() + 5000, () => {
    if (sensor.running && !sensor.stopped) sensor.resetNetwork();
  });
  return { willApplyInS: 5, at: wallClock(sensor) };
}
