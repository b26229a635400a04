// Uploads a form and reads a response with progress lines followed by the result (ADR 0010).
import { type AnyEndpoint, type ReplyOf } from "@psp/contract/kit/endpoint.ts";
import { CallError, withSessionRetry, createConnectionLostError, queryText, toCallError } from "./call.ts";
import { callUrl } from "./server-address.ts";

export type FormProgress = { done: number; total: number };
type FormOptions = { query?: Record<string, string>; signal?: AbortSignal };
type Line = { progress?: FormProgress; result?: unknown; failure?: { code: number; error: string; requestId: string } };

const lineType = "application/x-ndjson";

/** Throws CallError, with code 11 if the connection breaks before the result. No timeout. */
export function sendForm<C extends AnyEndpoint>(
  endpoint: C,
  form: FormData,
  onProgress: (progress: FormProgress) => void,
  options: FormOptions = {},
): Promise<ReplyOf<C>> {
  return withSessionRetry(endpoint, true, () => attempt(endpoint, form, onProgress, options));
}

async function attempt<C extends AnyEndpoint>(
  endpoint: C,
  form: FormData,
  onProgress: (progress: FormProgress) => void,
  { query, signal }: FormOptions,
): Promise<ReplyOf<C>> {
  const response = await fetch(callUrl(endpoint) + queryText(query), {
    method: endpoint.method,
    credentials: "include",
    headers: { accept: `${lineType}, application/json` },
    body: form,
    signal: signal ?? null,
  }).catch(() => {
    throw createConnectionLostError();
  });
  if (!response.ok) throw toCallError(response, await response.json().catch(() => null));
  const isLines = response.headers.get("content-type")?.includes(lineType) ?? false;
  const result = isLines && response.body ? await lastOf(response.body, onProgress) : await response.json();
  return (import.meta.env.DEV ? endpoint.reply.parse(result) : result) as ReplyOf<C>;
}

async function lastOf(body: ReadableStream<Uint8Array<ArrayBuffer>>, onProgress: (progress: FormProgress) => void) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch(() => {
      throw createConnectionLostError();
    });
    if (done) throw createConnectionLostError();
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
