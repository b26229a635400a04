// Sends one request through a tunnel and buffers the response, which must be small.
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { TunnelError, type TunnelReply, type TunnelRequest } from "./tunnel.service.ts";

const defaultTimeoutMs = 30_000;
export const defaultMaxBytes = 64 * 1024;

/** Rejects with TunnelError; the sensor may or may not have received the request. */
export function sendBuffered(
  session: ClientHttp2Session,
  { method, path, headers, body, timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes }: TunnelRequest,
  inFlight: Set<(error: TunnelError) => void>,
): Promise<TunnelReply> {
  return new Promise((resolve, reject) => {
    const stream = openRequestStream(session, { ":method": method, ":path": path, ...headers }, body === undefined);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let status = 0;
    const timer = setTimeout(() => fail(new TunnelError("No response in time", true, null, "late")), timeoutMs);
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
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) fail(new TunnelError("The response is too large", true, null, "large"));
      else chunks.push(chunk);
    };
    // Attached only after the head has arrived; otherwise data of the same event-loop turn would be handled before it.
    stream.on("response", (head) => {
      status = Number(head[":status"] ?? 0);
      stream.on("data", take);
    });
    stream.on("error", (error) => fail(new TunnelError(error.message, true)));
    stream.on("close", () => {
      if (status === 0 || stream.rstCode !== constants.NGHTTP2_NO_ERROR || !stream.readableEnded)
        return fail(new TunnelError("The response was cut off", true));
      settle();
      resolve({ status, body: Buffer.concat(chunks) });
    });
    stream.end(body);
  });
}

/** Throws TunnelError if no stream is available. */
export function openRequestStream(
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
