// One request through a tunnel whose answer is small and awaited whole.
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { TunnelError, type TunnelReply, type TunnelRequest } from "./tunnel.service.ts";

const defaultTimeoutMs = 30_000;
export const defaultMaxBytes = 64 * 1024;

/** One request and its whole answer. Rejects with TunnelError; from here on it is unknown what the sensor received. */
export function exchange(
  session: ClientHttp2Session,
  { method, path, headers, body, timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes }: TunnelRequest,
  inFlight: Set<(error: TunnelError) => void>,
): Promise<TunnelReply> {
  return new Promise((resolve, reject) => {
    const stream = open(session, { ":method": method, ":path": path, ...headers }, body === undefined);
    const pieces: Buffer[] = [];
    let bytes = 0;
    let status = 0;
    const timer = setTimeout(() => fail(new TunnelError("No answer in time", true, null, "late")), timeoutMs);
    const settle = () => {
      clearTimeout(timer);
      inFlight.delete(fail);
    };
    const fail = (error: TunnelError) => {
      settle();
      if (!stream.destroyed) stream.close(constants.NGHTTP2_CANCEL);
      reject(status === 0 ? error : new TunnelError(error.message, true, status, error.kind));
    };
    inFlight.add(fail);
    const take = (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxBytes) fail(new TunnelError("The answer is too large", true, null, "large"));
      else pieces.push(piece);
    };
    // Only then: data that comes in the same turn would be received before its head.
    stream.on("response", (head) => {
      status = Number(head[":status"] ?? 0);
      stream.on("data", take);
    });
    stream.on("error", (error) => fail(new TunnelError(error.message, true)));
    stream.on("close", () => {
      if (status === 0 || stream.rstCode !== constants.NGHTTP2_NO_ERROR || !stream.readableEnded)
        return fail(new TunnelError("The answer broke off", true));
      settle();
      resolve({ status, body: Buffer.concat(pieces) });
    });
    stream.end(body);
  });
}

/** A stream of the session; throws TunnelError when none can be had. */
export function open(
  session: ClientHttp2Session,
  headers: Record<string, string | string[]>,
  endStream: boolean,
): ClientHttp2Stream {
  try {
    return session.request(headers, { endStream });
  } catch (error) {
    throw new TunnelError(error instanceof Error ? error.message : String(error), false);
  }
}
