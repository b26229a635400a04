// Sends stored bytes to browsers and to devices that resume downloads: whole, as one range, or as 304 (RFC 9110 §13, §14).
import { Readable } from "node:stream";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../kit/app-error.ts";
import { sendWhileAllowed } from "./long-calls.ts";
import { responseSent, type ResponseSent } from "./bind.ts";

/** Positions of the first and the last byte. */
type Span = { from: number; to: number };

export type StoredBytes = {
  size: number;
  /** Lower-case hex; also the ETag. */
  sha256: string;
  fileName: string;
  read(span: Span): AsyncIterable<Buffer>;
};

/** Null without a range, and with several ranges, because the whole content is then a valid response. */
function rangeOf(header: string | undefined, size: number): Span | "unsatisfiable" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return null;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  // A range that ends before it begins is malformed.
  if (first !== "" && last !== "" && Number(last) < from) return null;
  return from >= size ? "unsatisfiable" : { from, to };
}

/**
 * Evaluates If-None-Match, If-Range and Range, and sets the headers that follow from them. Returns the bytes to send, or null if 304
 * was sent. Throws 416 for an unsatisfiable range.
 */
export function resolveRange(request: FastifyRequest, reply: FastifyReply, etag: string, size: number): Span | null {
  void reply.headers({ etag, "accept-ranges": "bytes" });
  const { "if-none-match": known, "if-range": condition, range: wanted } = request.headers;
  const tags = known?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (known?.trim() === "*" || tags?.includes(etag)) {
    void reply.code(304).send();
    return null;
  }
  const range = condition === undefined || condition === etag ? rangeOf(wanted, size) : null;
  if (range === null) return { from: 0, to: size - 1 };
  if (range === "unsatisfiable") {
    void reply.removeHeader("content-disposition").removeHeader("etag");
    const headers = { "content-range": `bytes */${size}` };
    throw new AppError(errorCode.invalidArgument, { field: "Range" }, { status: 416, headers });
  }
  void reply.code(206).header("content-range", `bytes ${range.from}-${range.to}/${size}`);
  return range;
}

/** Responds 200, 206, 304 or 416, always as a download that browsers do not run. `ended` aborts the response. */
export function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: StoredBytes,
  ended: AbortSignal | null = null,
): ResponseSent {
  const { size, sha256 } = bytes;
  const name = bytes.fileName.replaceAll(/[^\w.+-]/g, "_").slice(0, 150);
  void reply.type("application/octet-stream").headers({
    "cache-control": "private, no-cache",
    "content-disposition": `attachment; filename="${name}"`,
    "content-security-policy": "default-src 'none'; sandbox",
    "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
  });
  const span = resolveRange(request, reply, `"${sha256}"`, size);
  if (span === null) return responseSent;
  void reply.header("content-length", span.to - span.from + 1);
  // A stream even for HEAD: with any other body Fastify would replace the length by 0.
  const body = request.method === "HEAD" ? [] : bytes.read(span);
  const stream = Readable.from(body, { objectMode: false, highWaterMark: 256 * 1024 });
  if (ended) sendWhileAllowed(reply, stream, ended);
  else void reply.send(stream);
  return responseSent;
}
