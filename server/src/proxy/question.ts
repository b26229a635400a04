// A question in JSON-RPC on a sensor's host: read whole, judged, and written out again, so that the sensor reads what was judged.
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Refusal } from "./refusal-page.ts";

export const rpcPath = "/rpc";

/** Whether a server on the sensor might take the path for `/rpc`. */
export function isLikeRpc(path: string): boolean {
  const { pathname } = new URL(path.replaceAll(/[/\\]+/g, "/"), "http://sensor.invalid");
  try {
    return decodeURIComponent(pathname).replaceAll(/\/+/g, "/").replace(/\/$/, "").toLowerCase() === rpcPath;
  } catch {
    return false;
  }
}
const maxBytes = 1024 * 1024;

export type Question = { method: string; text: string } | { refusal: Refusal };

/**
 * Reads one JSON-RPC request with a method that `mayCall`; batches are refused. The text is rebuilt from the four members
 * of JSON-RPC: a parser on the sensor that takes the first of two members, ignores case or follows `__proto__` reads the same.
 */
export async function readQuestion(request: IncomingMessage, mayCall: (method: string) => boolean): Promise<Question> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) return { refusal: "tooLarge" };
    pieces.push(piece);
  }
  const question = rebuild(Buffer.concat(pieces).toString("utf8"));
  if (question === null) return { refusal: "unreadable" };
  return mayCall(question.method) ? question : { refusal: "forbidden" };
}

const scalar = z.union([z.string(), z.number(), z.null()]);
// In the order in which they are written.
const questionSchema = z.object({
  jsonrpc: scalar.optional(),
  id: scalar.optional(),
  method: z.string(),
  params: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
});

function rebuild(text: string): { method: string; text: string } | null {
  try {
    const question = questionSchema.parse(
      JSON.parse(text, (key, value: unknown) => (key === "__proto__" ? undefined : value)),
    );
    return { method: question.method, text: JSON.stringify(question) };
  } catch {
    // No JSON, no request, or nested so deep that it can't be written again.
    return null;
  }
}
