// One HTTP request to a sensor's page: through its tunnel, on the session's record where it writes, and the response back.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TunnelStream, TunnelStreams } from "../tunnel/tunnel.service.ts";
import { type PageOrigin, toBrowser, toSensor } from "./header-rules.ts";
import type { InFlight } from "./in-flight.ts";
import type { PageSession } from "./page-session.ts";
import { readRpcRequest, rpcPath } from "./rpc-request.ts";
import type { Refusal } from "./refusal-page.ts";
import { hasBody, isReading } from "./request-rules.ts";

/** How long a sensor may take until its first byte. */
export const firstByteMs = 30_000;
const idleMs = 300_000;

/** A request that was judged, and what it goes through. */
type Forwarding = {
  page: PageOrigin;
  session: PageSession;
  tunnels: TunnelStreams;
  isRpc: boolean;
  inFlight: InFlight;
  refuse: (refusal: Refusal) => void;
};

/** Asks the sensor, and answers the browser with what it says. */
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
  if (!isReading(method))
    await session.recordWrite(method, rpc ? `${rpcPath} ${rpc.method}` : (url.split("?")[0] ?? ""));
  // Ended, or given up by the browser, meanwhile.
  if (session.ended.aborted || response.destroyed) return;
  const sent = toSensor(headers, session.user, page);
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
  }, firstByteMs);
  response.once("close", () => clearTimeout(silence));
  if (rpc) through.stream.end(rpc.text);
  else if (hasBody(request)) {
    // The sensor's time begins when it has everything.
    request.on("data", () => silence.refresh());
    request.pipe(through.stream);
  }
  const head = await through.head;
  clearTimeout(silence);
  if (response.headersSent || response.destroyed) return;
  const asked = { url, cookie: headers.cookie };
  const passed = head.status >= 200 && head.status < 600 ? toBrowser(head.headers, page, asked) : "broken";
  if (typeof passed === "string") {
    through.cancel();
    return refuse(passed);
  }
  response.writeHead(head.status, passed);
  through.pipeTo(response, idleMs);
}
