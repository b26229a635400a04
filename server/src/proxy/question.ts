// A question in JSON-RPC on a sensor's host: read whole, judged, and written out again, so that the sensor reads what was judged.
import type { IncomingMessage } from "node:http";
import type { Refusal } from "./refusal-page.ts";

export const rpcPath = "/rpc";
const maxBytes = 1024 * 1024;

export type Question = { method: string; text: string } | { refusal: Refusal };

/** One question with a method that `mayCall`; batches are none. */
export async function readQuestion(request: IncomingMessage, mayCall: (method: string) => boolean): Promise<Question> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) return { refusal: "tooLarge" };
    pieces.push(piece);
  }
  const question = parse(Buffer.concat(pieces).toString("utf8"));
  if (question === null || typeof question !== "object" || Array.isArray(question)) return { refusal: "unreadable" };
  const { method } = question as { method?: unknown };
  if (typeof method !== "string") return { refusal: "unreadable" };
  return mayCall(method) ? { method, text: JSON.stringify(question) } : { refusal: "forbidden" };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
