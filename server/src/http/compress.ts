// Compresses answers that are made on request: texts above a kilobyte at once, streams piece by piece as they come (ADR 0027).
// What never changes is compressed once and kept. How much is compressed at the same time is bounded.
import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { pipeline as pipelineOf } from "node:stream/promises";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Metrics } from "../kit/metrics.ts";
import { createPrioritySemaphore } from "../kit/limits/semaphores.ts";
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

/** Whole responses that are compressed at the same time, and that wait for it. Beyond both the plain form is sent. */
const maxWhole = { atOnce: 2, waiting: 100 };
/** Streams that are compressed at the same time; further ones are sent plain. */
const maxStreams = 20;
/** Between two pieces of this size a compression notices that its client has left. */
const pieceBytes = 64 * 1024;

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** All answers of this application that are neither files nor ranges of them. */
export function compressAnswers(app: FastifyInstance, metrics?: Pick<Metrics, "compressed">): void {
  const count = (bytes: number) => metrics?.compressed.inc(bytes);
  const inTurn = createPrioritySemaphore(maxWhole.atOnce, { whole: maxWhole.waiting });
  let streams = 0;

  /** Null for what stays plain: too much is under way, or the client has left. */
  async function compressText(coding: "br" | "gzip", body: Buffer, reply: FastifyReply): Promise<Buffer | null> {
    const work = async () => (reply.raw.destroyed ? null : compressWhole(coding, body, reply, count));
    return inTurn("whole", work).catch((error: unknown) => {
      reply.log.debug({ err: error }, "a response was not compressed");
      return null;
    });
  }

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
    let compressed: Buffer | Readable | null = null;
    if (isText)
      compressed = await compressText(coding, Buffer.isBuffer(payload) ? payload : Buffer.from(payload), reply);
    else if (streams < maxStreams) {
      streams += 1;
      compressed = compressStream(coding, payload, (bytes) => {
        streams -= 1;
        count(bytes);
      });
    }
    if (compressed === null) return payload;
    reply.header("content-encoding", coding).removeHeader("content-length");
    return compressed;
  });
}

export type Form = { bytes: Buffer; tag: string };

/** A text that never changes in all forms that are offered; one that is too short to gain stays plain. */
export async function formsOf(text: string, { compressed }: Pick<Metrics, "compressed">): Promise<Map<Coding, Form>> {
  const plain = Buffer.from(text);
  const forms = new Map<Coding, Form>([["identity", { bytes: plain, tag: tagOf(plain, "identity") }]]);
  if (plain.length <= leastBytes) return forms;
  for (const coding of ["br", "gzip"] as const) {
    compressed.inc(plain.length);
    forms.set(coding, { bytes: await compressAtOnce(coding, plain), tag: tagOf(plain, coding) });
  }
  return forms;
}

/** The validator of one form of what these bytes are. */
export function tagOf(plain: Buffer, coding: Coding): string {
  const hash = createHash("sha256").update(plain).digest("base64url").slice(0, 27);
  return coding === "identity" ? `"${hash}"` : `"${hash}-${coding}"`;
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

/** Null when the client has left meanwhile. */
async function compressWhole(
  coding: "br" | "gzip",
  body: Buffer,
  { raw }: FastifyReply,
  count: (bytes: number) => void,
): Promise<Buffer | null> {
  if (body.length <= pieceBytes) {
    count(body.length);
    return compressAtOnce(coding, body);
  }
  const left = new AbortController();
  const leave = () => left.abort();
  raw.once("close", leave);
  const compressor =
    coding === "gzip"
      ? zlib.createGzip({ level: gzipLevel })
      : zlib.createBrotliCompress({ params: brotliParams(body.length) });
  const compressed: Buffer[] = [];
  const keep = async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) compressed.push(chunk);
  };
  try {
    await pipelineOf(piecesOf(body, count), compressor, keep, { signal: left.signal });
    return Buffer.concat(compressed);
  } catch (error) {
    if (left.signal.aborted) return null;
    throw error;
  } finally {
    raw.off("close", leave);
  }
}

function* piecesOf(body: Buffer, count: (bytes: number) => void): Generator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) {
    const piece = body.subarray(at, at + pieceBytes);
    count(piece.length);
    yield piece;
  }
}

function compressAtOnce(coding: "br" | "gzip", body: Buffer): Promise<Buffer> {
  if (coding === "gzip") return gzip(body, { level: gzipLevel });
  return brotli(body, { params: brotliParams(body.length) });
}

/** Every piece goes out when it has come. Whatever ends one side ends the other, with its reason. */
function compressStream(coding: "br" | "gzip", source: Readable, over: (bytes: number) => void): Readable {
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
  const compressor =
    coding === "gzip"
      ? zlib.createGzip({ level: gzipLevel, flush: Z_SYNC_FLUSH })
      : zlib.createBrotliCompress({ params: brotliParams(0), flush: BROTLI_OPERATION_FLUSH });
  // The error reaches the answer through the compressor.
  return pipeline(source, compressor, () => over(compressor.bytesWritten));
}

function brotliParams(size: number): Record<number, number> {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT } = zlib.constants;
  return {
    [BROTLI_PARAM_QUALITY]: brotliLevel,
    [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT,
    ...(size > 0 ? { [BROTLI_PARAM_SIZE_HINT]: size } : {}),
  };
}
