// Forwards one HTTP request for a device page through its tunnel, audits writes, and returns the response.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TunnelStream, TunnelStreams } from "../tunnel/tunnel.service.ts";
import { type PageOrigin, toBrowserHeaders, toSensorHeaders } from "./header-rules.ts";
import type { InFlightLimit } from "./in-flight.ts";
import type { PageSession } from "./page-session.ts";
import { readRpcRequest, rpcPath } from "./rpc-request.ts";
import type { Refusal } from "./refusal-page.ts";
import { hasBody, isReadMethod } from "./request-rules.ts";

export const firstByteTimeoutMs = 30_000;
const idleMs = 300_000;

type Forwarding = {
  page: PageOrigin;
  session: PageSession;
  tunnels: TunnelStreams;
  isRpc: boolean;
  inFlight: InFlightLimit;
  refuse: (refusal: Refusal) => void;
};

export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { page, session, tunnels, isRpc, inFlight, refuse }: Forwarding,
): Promise<void> {
  const { method = "GET", url = "", headers } = request;
  let through: TunnelStream | null = null;
  const joined = inFlight.join(session, response, () => {
    through?.cancel();
    refuse("refused");
  });
  if (joined !== "joined") return joined === "busy" ? refuse("busy") : undefined;
  response.once("close", () => through?.cancel());
  const rpc = isRpc ? await readRpcRequest(request, (rpcMethod) => session.mayCall(rpcMethod)) : null;
  if (rpc !== null && "refusal" in rpc) return refuse(rpc.refusal);
  if (!isReadMethod(method))
    await session.recordWrite(method, rpc ? `${rpcPath} ${rpc.method}` : (url.split("?")[0] ?? ""));
  // The session has ended or the browser has left.
  if (session.ended.aborted || response.destroyed) return;
  const sent = toSensorHeaders(headers, session.user, page);
  if (rpc) {
    delete sent["content-encoding"];
    sent["content-type"] = "application/json";
    sent["content-length"] = String(Buffer.byteLength(rpc.text));
  }
  through = tunnels.stream(session.sensorId, {
    method,
    path: rpc && session.isReadOnly ? rpcPath : url,
    authority: page.host,
    headers: sent,
    isBodiless: !hasBody(request) && !rpc,
  });
  const silence = setTimeout(() => {
    through?.cancel();
    refuse("silent");
  }, firstByteTimeoutMs);
  response.once("close", () => clearTimeout(silence));
  if (rpc) through.stream.end(rpc.text);
  else if (hasBody(request)) {
    // Restarts the timeout while the body arrives, so that it measures the sensor's silence after the whole request.
    request.on("data", () => silence.refresh());
    request.pipe(through.stream);
  }
  const head = await through.head;
  clearTimeout(silence);
  if (response.headersSent || response.destroyed) return;
  const asked = { url, cookie: headers.cookie };
  const passed = head.status >= 200 && head.status < 600 ? toBrowserHeaders(head.headers, page, asked) : "broken";
  if (typeof passed === "string") {
    through.cancel();
    return refuse(passed);
  }
  response.writeHead(head.status, passed);
  through.pipeTo(response, idleMs);
}
