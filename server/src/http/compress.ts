// Compresses answers that are made on request: texts above a kilobyte at once, streams piece by piece as they come (ADR 0068).
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { chooseCoding, type Coding } from "./accept-encoding.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the answer hands out what opens something: its length must not speak (BREACH). */
    secret?: boolean;
  }
}

/** In the order in which we like them: Brotli at this level is quicker than gzip and shorter. */
const offered: readonly Coding[] = ["br", "gzip", "identity"];
const leastBytes = 1000;
const brotliLevel = 4;
const gzipLevel = 6;

/** Lines of progress and events are tiny and awaited one by one; pictures and packages are compressed already. */
const compressible =
  /^(application\/((\w+\+)?json|vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet)|text\/(?!event-stream)[\w.+-]+|image\/svg\+xml)(;|$)/;

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** All answers of this application that are neither files nor ranges of them. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply, payload) => {
    if (!compressible.test(String(reply.getHeader("content-type") ?? "")) || isSecret(request)) return payload;
    variesByCoding(reply);
    // A validator belongs to the form that somebody has chosen already.
    const isWhole = reply.statusCode !== 206 && reply.statusCode !== 304 && !reply.hasHeader("etag");
    const isText = typeof payload === "string" || Buffer.isBuffer(payload);
    if (!isWhole || !(isText || payload instanceof Readable)) return payload;
    // What was asked for has been done by now: a client that takes no form at all is given the plain one (RFC 9110 §12.4.1).
    const coding = chooseCoding(request.headers["accept-encoding"], offered) ?? "identity";
    if (coding === "identity" || (isText && Buffer.byteLength(payload) <= leastBytes)) return payload;
    reply.header("content-encoding", coding).removeHeader("content-length");
    return isText ? compressWhole(coding, payload) : compressStream(coding, payload);
  });
}

/** For caches: one address answers differently to different clients, in this answer or in the next. */
export function variesByCoding(reply: FastifyReply): void {
  const before = String(reply.getHeader("vary") ?? "");
  if (/accept-encoding/i.test(before)) return;
  reply.header("vary", before === "" ? "Accept-Encoding" : `${before}, Accept-Encoding`);
}

function isSecret(request: FastifyRequest): boolean {
  return request.routeOptions.config.secret === true;
}

function compressWhole(coding: "br" | "gzip", body: string | Buffer): Promise<Buffer> {
  if (coding === "gzip") return gzip(body, { level: gzipLevel });
  return brotli(body, { params: brotliParams(Buffer.byteLength(body)) });
}

/** Every piece goes out when it has come. Whatever ends one side ends the other, with its reason. */
function compressStream(coding: "br" | "gzip", source: Readable): Readable {
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
  const compressor =
    coding === "gzip"
      ? zlib.createGzip({ level: gzipLevel, flush: Z_SYNC_FLUSH })
      : zlib.createBrotliCompress({ params: brotliParams(0), flush: BROTLI_OPERATION_FLUSH });
  // The error reaches the answer through the compressor.
  return pipeline(source, compressor, () => undefined);
}

function brotliParams(size: number): Record<number, number> {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT } = zlib.constants;
  return {
    [BROTLI_PARAM_QUALITY]: brotliLevel,
    [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT,
    ...(size > 0 ? { [BROTLI_PARAM_SIZE_HINT]: size } : {}),
  };
}
