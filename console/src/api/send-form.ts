// One upload of the contract from the browser: the form goes out, progress comes back line by line, the result last (ADR 0010).
import { type AnyEndpoint, type Replied } from "@psp/contract/kit/endpoint.ts";
import { CallError, insideSession, lostCall, toCallError } from "./call.ts";
import { callAddress } from "./server-address.ts";

export type FormProgress = { done: number; total: number };
type Line = { progress?: FormProgress; result?: unknown; failure?: { code: number; error: string; requestId: string } };

const lineType = "application/x-ndjson";

/** Sends the form; throws CallError, with code 11 also when the connection is lost before the result came. No time limit. */
export function sendForm<C extends AnyEndpoint>(
  endpoint: C,
  form: FormData,
  onProgress: (progress: FormProgress) => void,
): Promise<Replied<C>> {
  return insideSession(endpoint, true, () => attempt(endpoint, form, onProgress));
}

async function attempt<C extends AnyEndpoint>(
  endpoint: C,
  form: FormData,
  onProgress: (progress: FormProgress) => void,
): Promise<Replied<C>> {
  const response = await fetch(callAddress(endpoint), {
    method: endpoint.method,
    credentials: "include",
    headers: { accept: `${lineType}, application/json` },
    body: form,
  }).catch(() => {
    throw lostCall();
  });
  if (!response.ok) throw toCallError(response, await response.json().catch(() => null));
  const isLines = response.headers.get("content-type")?.includes(lineType) ?? false;
  const result = isLines && response.body ? await lastOf(response.body, onProgress) : await response.json();
  // As in call.ts: builds carry no schemas of replies.
  return (import.meta.env.DEV ? endpoint.reply.parse(result) : result) as Replied<C>;
}

async function lastOf(body: ReadableStream<Uint8Array<ArrayBuffer>>, onProgress: (progress: FormProgress) => void) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch(() => {
      throw lostCall();
    });
    if (done) throw lostCall();
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      const line = JSON.parse(text) as Line;
      if (line.progress) onProgress(line.progress);
      if (line.failure) throw new CallError(500, line.failure.code, line.failure.error, line.failure.requestId);
      if ("result" in line) return line.result;
    }
  }
}
