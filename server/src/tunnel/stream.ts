// Streams one request through a tunnel, with a body and response of any length, or opens a WebSocket of the sensor (RFC 8441).
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import type { Writable } from "node:stream";
import { openRequestStream } from "./exchange.ts";
import { type StreamHead, TunnelError, type TunnelStream } from "./tunnel.service.ts";

/** Flow-control window of a stream, in bytes. */
export const streamWindowBytes = 256 * 1024;

/** `took` is called with the number of consumed bytes of the response. Throws TunnelError if no stream is available. */
export function openStream(
  session: ClientHttp2Session,
  { method, path, authority, headers, protocol, isBodiless }: StreamHead,
  inFlight: Set<(error: TunnelError) => void>,
  took: (bytes: number) => void,
): TunnelStream {
  const pseudo = {
    ":method": protocol === undefined ? method : "CONNECT",
    ":path": path,
    ":scheme": "http",
    ":authority": authority,
    ...(protocol === undefined ? {} : { ":protocol": protocol }),
  };
  const stream = openRequestStream(session, { ...pseudo, ...headers }, isBodiless);
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<TunnelStream["head"]>>();
  // Prevents an unhandled rejection if the caller no longer waits.
  promise.catch(() => undefined);
  const fail = (error: TunnelError) => {
    reject(error);
    stream.close(constants.NGHTTP2_CANCEL);
    stream.destroy();
  };
  inFlight.add(fail);
  stream.once("response", (headers) => resolve({ status: Number(headers[":status"] ?? 0), headers }));
  stream.on("error", (error) => reject(new TunnelError(error.message, true)));
  stream.once("close", () => {
    inFlight.delete(fail);
    reject(new TunnelError("The response was cut off", true));
  });
  return {
    stream,
    head: promise,
    pipeTo(target, idleMs) {
      if (idleMs !== undefined) stream.setTimeout(idleMs, () => fail(new TunnelError("Nothing moved", true)));
      pipe(stream, target, took);
    },
    cancel: () => fail(new TunnelError("Canceled", true)),
  };
}

/** Like `pipe`, but reports consumption, and destroys the target if the response breaks off. */
function pipe(stream: ClientHttp2Stream, target: Writable, took: (bytes: number) => void): void {
  stream.on("data", (chunk: Buffer) => {
    took(chunk.length);
    if (!target.write(chunk)) stream.pause();
  });
  target.on("drain", () => stream.resume());
  stream.once("end", () => {
    if (stream.rstCode === constants.NGHTTP2_NO_ERROR) target.end();
  });
  stream.once("close", () => {
    if (!stream.readableEnded || stream.rstCode !== constants.NGHTTP2_NO_ERROR) target.destroy();
  });
  target.once("close", () => stream.close(constants.NGHTTP2_CANCEL));
}
