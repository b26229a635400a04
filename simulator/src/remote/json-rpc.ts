// JSON-RPC 2.0 server of a sensor: parses a request, calls its method, and builds the response.
import { z } from "zod";
import type { Sensor } from "../device/sensor-state.ts";
import { parseJson } from "../link/link.ts";
import { createPreview } from "../preview/preview.ts";
import { rpcErrorCodes, confirmConfig, getConfig, RefusedError, restartDevice, setConfig } from "../section/store.ts";

const id = z.union([z.string().max(64), z.number(), z.null()]);
const requestSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id,
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
});

const malformed = { code: -32700, message: "The request is not valid JSON." };
const invalid = { code: -32600, message: "The request is not JSON-RPC 2.0." };

const section = z.string();
const rev = z.int().min(1);

type Method = { forView: boolean; ask(sensor: Sensor, params: unknown): unknown };

/** A method that is only called with valid parameters. */
function method<P>(forView: boolean, params: z.ZodType<P>, ask: (sensor: Sensor, given: P) => unknown): Method {
  return {
    forView,
    ask(sensor, given) {
      const parsed = params.safeParse(given);
      if (parsed.success) return ask(sensor, parsed.data);
      const fields = parsed.error.issues
        .slice(0, 10)
        .map(({ path, message }) => ({ path: path.join(".").slice(0, 100), message: message.slice(0, 200) }));
      throw new RefusedError(rpcErrorCodes.invalid, "The parameters are not valid.", { fields });
    },
  };
}

const methods = new Map<string, Method>([
  ["config.get", method(true, z.strictObject({ section }), (sensor, given) => getConfig(sensor, given.section))],
  [
    "config.set",
    method(false, z.strictObject({ section, values: z.unknown(), rev }), (sensor, given) =>
      setConfig(sensor, given.section, given.values, given.rev),
    ),
  ],
  ["config.confirm", method(false, z.strictObject({ rev }), (sensor, given) => confirmConfig(sensor, given.rev))],
  ["device.restart", method(false, z.strictObject({}), restartDevice)],
  [
    "preview.get",
    method(true, z.strictObject({ kind: z.string(), camera: z.string().optional() }), (sensor, given) =>
      createPreview(sensor, given.kind, given.camera ?? null),
    ),
  ],
]);

/** The response to a request; null if the user may only view and the request may change something. */
export async function handleRpc(sensor: Sensor, text: string, mayOnlyView: boolean): Promise<object | null> {
  const body = parseJson(text);
  const request = requestSchema.safeParse(body);
  if (!request.success) return failure(null, body === null ? malformed : invalid);
  const { id: question, method: name, params } = request.data;
  const known = methods.get(name);
  if (mayOnlyView && !known?.forView) return null;
  if (!known)
    return failure(question, { code: rpcErrorCodes.unknown, message: `There is no method ${name.slice(0, 40)}.` });
  try {
    return { jsonrpc: "2.0", id: question, result: await known.ask(sensor, params) };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { code, message, data } = error;
    return failure(question, { code, message, ...(data ? { data } : {}) });
  }
}

function failure(question: string | number | null, error: { code: number; message: string }): object {
  return { jsonrpc: "2.0", id: question, error };
}
