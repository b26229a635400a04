// Long calls that report how far they are: a client that asks for NDJSON receives progress line by line, everybody else the result (ADR 0010).
import { PassThrough } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { errorBody, logFailure, toAppError } from "../error-reply.ts";

const mediaType = "application/x-ndjson";

export type Tell = (progress: { done: number; total: number }) => void;

/**
 * Runs `work`. Without the media type in `Accept` its result is answered as always. With it lines of
 * `{"progress":{"done","total"}}` come first, and the last one is `{"result":…}` or, after the first progress,
 * `{"failure":…}`; what fails before that fails with its status.
 */
export async function withProgress<T, S>(
  { request, reply, log }: { request: FastifyRequest; reply: FastifyReply; log: Logger },
  streamed: S,
  work: (tell: Tell) => Promise<T>,
): Promise<T | S> {
  if (!String(request.headers.accept ?? "").includes(mediaType)) return work(() => undefined);
  const lines = new PassThrough();
  let open = false;
  const say = (line: unknown) => {
    if (!open) {
      open = true;
      // A proxy that gathers the answer would hold the progress back.
      reply.header("cache-control", "no-store").header("x-accel-buffering", "no").type(`${mediaType}; charset=utf-8`);
      reply.send(lines);
    }
    if (!lines.destroyed) lines.write(`${JSON.stringify(line)}\n`);
  };
  try {
    const result = await work((progress) => say({ progress }));
    say({ result });
  } catch (error) {
    if (!open) throw error;
    const known = toAppError(error);
    logFailure(error, known, request.id, log);
    say({ failure: errorBody(known, request.id) });
  }
  lines.end();
  return streamed;
}
