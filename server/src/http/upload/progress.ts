// Streams the progress of long calls to clients that accept NDJSON. Other clients receive only the result (ADR 0010).
import { PassThrough } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { toErrorBody, logFailure, toAppError } from "../error-reply.ts";

const mediaType = "application/x-ndjson";

type Report = (progress: { done: number; total: number }) => void;

/**
 * Runs `work` and returns its result. If the client accepts `application/x-ndjson`, streams lines of `{"progress":{"done","total"}}`
 * instead, followed by `{"result":…}` or `{"failure":…}`. An error before the first progress is thrown, and keeps its status.
 */
export async function withProgress<T, S>(
  { request, reply, log }: { request: FastifyRequest; reply: FastifyReply; log: Logger },
  streamed: S,
  work: (report: Report) => Promise<T>,
): Promise<T | S> {
  if (!String(request.headers.accept ?? "").includes(mediaType)) return work(() => undefined);
  const lines = new PassThrough();
  let open = false;
  const writeLine = (line: unknown) => {
    if (!open) {
      open = true;
      // Asks proxies not to buffer the response.
      reply.header("cache-control", "no-store").header("x-accel-buffering", "no").type(`${mediaType}; charset=utf-8`);
      reply.send(lines);
    }
    if (!lines.destroyed) lines.write(`${JSON.stringify(line)}\n`);
  };
  try {
    const result = await work((progress) => writeLine({ progress }));
    writeLine({ result });
  } catch (error) {
    if (!open) throw error;
    const known = toAppError(error);
    logFailure(error, known, request.id, log);
    writeLine({ failure: toErrorBody(known, request.id) });
  }
  lines.end();
  return streamed;
}
