// Compresses responses: texts above a kilobyte as a whole, streams chunk by chunk (ADR 0027). The number of concurrent
// compressions is limited, because they share the processor with password hashing (ADR 0002).
import { pipeline, Readable } from "node:stream";
import { pipeline as pipelineOf } from "node:stream/promises";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Metrics } from "../kit/metrics.ts";
import { createPrioritySemaphore } from "../kit/limits/semaphores.ts";
import { chooseCoding, type Coding } from "./accept-encoding.ts";
import { disconnectSignal } from "./long-calls.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the response contains a credential: it is not compressed, so that its length reveals nothing (BREACH). */
    secret?: boolean;
  }
}

type Compression = Exclude<Coding, "identity">;

/** In order of preference. At these levels, Brotli is faster than gzip and compresses better. */
const offered: readonly Coding[] = ["br", "gzip", "identity"];
/** Minimum length in bytes; shorter texts are sent plain. */
export const minBytesToCompress = 1001;
const brotliLevel = 4;
const gzipLevel = 6;

/** Excludes progress and events, which are sent line by line, and images and packages, which are compressed already. */
const compressible =
  /^(application\/((\w+\+)?json|vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet)|text\/(?!event-stream)[\w.+-]+|image\/svg\+xml)(;|$)/;

/** Texts compressed concurrently, and texts queued for it. Beyond both limits they are sent plain. */
const maxTexts = { running: 2, waiting: 100 };
/** Streams compressed concurrently; further ones are sent plain. */
const maxStreams = 20;
/** A compression checks after each chunk whether its client has left. */
const chunkBytes = 64 * 1024;

export function compressResponses(app: FastifyInstance, metrics?: Pick<Metrics, "compressed">): void {
  const count = (bytes: number) => metrics?.compressed.inc(bytes);
  const inTurn = createPrioritySemaphore(maxTexts.running, { text: maxTexts.waiting });
  let streams = 0;

  /** Null if too many wait, or if the client has left. */
  async function compressText(coding: Compression, text: Buffer, reply: FastifyReply): Promise<Buffer | null> {
    const left = disconnectSignal(reply);
    return inTurn("text", () => compress(coding, text, count, left)).catch((error: unknown) => {
      reply.log.debug({ err: error }, "a response was not compressed");
      return null;
    });
  }

  function compressStream(coding: Compression, source: Readable): Readable | null {
    if (streams >= maxStreams) return null;
    streams += 1;
    // Each chunk is sent as soon as it arrives.
    const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
    const flush = coding === "br" ? BROTLI_OPERATION_FLUSH : Z_SYNC_FLUSH;
    const compressor = createCompressor(coding, { ...optionsOf(coding, 0), flush });
    // An error of the source reaches the response through the compressor.
    return pipeline(source, compressor, () => {
      streams -= 1;
      count(compressor.bytesWritten);
    });
  }

  app.addHook("onSend", async ({ headers, routeOptions }, reply, payload) => {
    const type = String(reply.getHeader("content-type") ?? "");
    if (!compressible.test(type) || routeOptions.config.secret === true) return payload;
    varyByCoding(reply);
    // A response with an ETag has been encoded already (static-files.ts).
    if (reply.statusCode === 206 || reply.statusCode === 304 || reply.hasHeader("etag")) return payload;
    const isText = typeof payload === "string" || Buffer.isBuffer(payload);
    if (isText ? Buffer.byteLength(payload) < minBytesToCompress : !(payload instanceof Readable)) return payload;
    // The call has been executed, so a client that accepts no coding gets the plain response (RFC 9110 §12.4.1).
    const coding = chooseCoding(headers["accept-encoding"], offered) ?? "identity";
    if (coding === "identity") return payload;
    const compressed = isText
      ? await compressText(coding, Buffer.isBuffer(payload) ? payload : Buffer.from(payload), reply)
      : compressStream(coding, payload as Readable);
    if (compressed === null) return payload;
    reply.header("content-encoding", coding).removeHeader("content-length");
    return compressed;
  });
}

/** Adds `Vary: Accept-Encoding`; uncompressed responses need it too. */
export function varyByCoding(reply: FastifyReply): void {
  const before = String(reply.getHeader("vary") ?? "");
  if (/accept-encoding/i.test(before)) return;
  reply.header("vary", before === "" ? "Accept-Encoding" : `${before}, Accept-Encoding`);
}

const oneShot = { br: promisify(zlib.brotliCompress), gzip: promisify(zlib.gzip) };

/** Calls `count` with the size of each chunk before it is compressed. Rejects when `left` is aborted. */
export async function compress(
  coding: Compression,
  text: Buffer,
  count: (bytes: number) => void,
  left?: AbortSignal,
): Promise<Buffer> {
  left?.throwIfAborted();
  if (text.length <= chunkBytes) {
    count(text.length);
    return oneShot[coding](text, optionsOf(coding, text.length));
  }
  const compressor = createCompressor(coding, optionsOf(coding, text.length));
  const chunks = function* () {
    for (let at = 0; at < text.length; at += chunkBytes) {
      const chunk = text.subarray(at, at + chunkBytes);
      count(chunk.length);
      yield chunk;
    }
  };
  const [compressed] = await Promise.all([
    Array.fromAsync<Buffer>(compressor),
    pipelineOf(chunks, compressor, left === undefined ? {} : { signal: left }),
  ]);
  return Buffer.concat(compressed);
}

function createCompressor(coding: Compression, options: zlib.BrotliOptions & zlib.ZlibOptions) {
  return coding === "br" ? zlib.createBrotliCompress(options) : zlib.createGzip(options);
}

function optionsOf(coding: Compression, size: number): zlib.BrotliOptions & zlib.ZlibOptions {
  if (coding === "gzip") return { level: gzipLevel };
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT } = zlib.constants;
  const params = { [BROTLI_PARAM_QUALITY]: brotliLevel, [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT };
  return { params: { ...params, [BROTLI_PARAM_SIZE_HINT]: size } };
}
