// Answers with stored bytes: whole, one range, or nothing new; for browsers and for devices that resume (RFC 9110 §13, §14).
import { Readable } from "node:stream";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../kit/app-error.ts";
import { sendWhileAllowed } from "./long-calls.ts";
import { streamed, type Streamed } from "./bind.ts";

export type Bytes = {
  size: number;
  /** Lower-case hex; also the validator. */
  sha256: string;
  fileName: string;
  read(span: { from: number; to: number }): AsyncIterable<Buffer>;
};

/** One range of bytes, both ends inclusive; null when none was asked for, or several, which may be answered whole. */
export function rangeOf(
  header: string | undefined,
  size: number,
): { from: number; to: number } | "unsatisfiable" | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "");
  if (!match) return null;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size - 1 };
  }
  const from = Number(first);
  const to = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  // A range that ends before it begins is no range at all.
  if (last !== "" && Number(last) < from) return null;
  return from >= size ? "unsatisfiable" : { from, to };
}

/** 200, 206, 304 or 416, with or without a body; always as a download that no browser may run, broken off when `ended` says so. */
export function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Bytes,
  ended: AbortSignal | null = null,
): Streamed {
  const { size, sha256 } = bytes;
  const tag = `"${sha256}"`;
  // Nothing but these characters can end a header or a name.
  const name = bytes.fileName.replaceAll(/[^\w.+-]/g, "_").slice(0, 150);
  void reply.headers({
    etag: tag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "content-disposition": `attachment; filename="${name}"`,
    "content-security-policy": "default-src 'none'; sandbox",
    "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
  });
  void reply.type("application/octet-stream");
  const known = request.headers["if-none-match"];
  if (
    known !== undefined &&
    (known.trim() === "*" || known.split(",").some((one) => one.trim().replace(/^W\//, "") === tag))
  ) {
    void reply.code(304).send();
    return streamed;
  }
  const condition = request.headers["if-range"];
  const range = condition === undefined || condition === tag ? rangeOf(request.headers.range, size) : null;
  if (range === "unsatisfiable") {
    void reply.removeHeader("content-disposition").removeHeader("etag");
    throw new AppError(
      errorCode.invalidArgument,
      { field: "Range" },
      { status: 416, headers: { "content-range": `bytes */${size}` } },
    );
  }
  const span = range ?? { from: 0, to: size - 1 };
  if (range) void reply.code(206).header("content-range", `bytes ${span.from}-${span.to}/${size}`);
  void reply.header("content-length", span.to - span.from + 1);
  // A stream even for HEAD: of anything else the framework would send the length itself.
  const body = request.method === "HEAD" ? [] : bytes.read(span);
  const stream = Readable.from(body, { objectMode: false, highWaterMark: 256 * 1024 });
  if (ended) sendWhileAllowed(reply, stream, ended);
  else void reply.send(stream);
  return streamed;
}
