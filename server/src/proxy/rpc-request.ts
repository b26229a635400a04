// Reads and checks a JSON-RPC request and serializes it again, so that the sensor parses exactly what was checked.
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Refusal } from "./refusal-page.ts";

export const rpcPath = "/rpc";

/** Whether a sensor's server might take the path for `/rpc`. */
export function mayBeRpcPath(path: string): boolean {
  const { pathname } = new URL(path.replaceAll(/[/\\]+/g, "/"), "http://sensor.invalid");
  try {
    return decodeURIComponent(pathname).replaceAll(/\/+/g, "/").replace(/\/$/, "").toLowerCase() === rpcPath;
  } catch {
    return false;
  }
}
const maxBytes = 1024 * 1024;

export type RpcRequest = { method: string; text: string } | { refusal: Refusal };

/**
 * Reads one request whose method `mayCall` allows; refuses batches. The text is rebuilt from the four JSON-RPC members, so that
 * differences between parsers (duplicate members, case, `__proto__`) do not matter.
 */
export async function readRpcRequest(
  request: IncomingMessage,
  mayCall: (method: string) => boolean,
): Promise<RpcRequest> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return { refusal: "tooLarge" };
    chunks.push(chunk);
  }
  const rpc = rebuild(Buffer.concat(chunks).toString("utf8"));
  if (rpc === null) return { refusal: "unreadable" };
  return mayCall(rpc.method) ? rpc : { refusal: "forbidden" };
}

const scalar = z.union([z.string(), z.number(), z.null()]);
// Members are serialized in this order.
const rpcSchema = z.object({
  jsonrpc: scalar.optional(),
  id: scalar.optional(),
  method: z.string(),
  params: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
});

function rebuild(text: string): { method: string; text: string } | null {
  try {
    const rpc = rpcSchema.parse(JSON.parse(text, (key, value: unknown) => (key === "__proto__" ? undefined : value)));
    return { method: rpc.method, text: JSON.stringify(rpc) };
  } catch {
    // Not JSON, not a JSON-RPC request, or nested too deeply to serialize.
    return null;
  }
}
