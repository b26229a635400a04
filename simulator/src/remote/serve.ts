// HTTP server of a sensor behind tunnel and VPN: /rpc, device page and REST interface.
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Sensor } from "../device/sensor-state.ts";
import { hasSections } from "../section/sections.ts";
import { servePage } from "../page/page.ts";
import { serveRest } from "./facade.ts";
import { handleRpc } from "./json-rpc.ts";

const rpcPath = "/rpc";
const maxBodyBytes = 1024 * 1024;
/**
 * Header set by the platform. Its value is the device user with the rights of the platform's user: user-role-edit or
 * user-role-view.
 */
const userHeader = "x-psconnect-user";

export function serveDevice(sensor: Sensor, request: Http2ServerRequest, reply: Http2ServerResponse): void {
  const path = request.url.split("?")[0];
  request.on("error", () => undefined);
  reply.stream.on("error", () => undefined);
  if (path === rpcPath && hasSections(sensor)) serveRpc(sensor, request, reply);
  else if (!servePage(sensor, request, reply)) serveRest(sensor, request, reply);
}

function serveRpc(sensor: Sensor, request: Http2ServerRequest, reply: Http2ServerResponse): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  });
  request.on("end", () => {
    // A hanging sensor does not respond at all; the client times out.
    if (!sensor.world.answers(sensor.env.clock.now())) return;
    const send = (status: number, body: unknown): void => {
      if (!reply.stream.destroyed)
        reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.method !== "POST") return send(405, { error: "Method not supported" });
    if (bytes > maxBodyBytes) return send(413, { error: "Too large" });
    const mayOnlyView = request.headers[userHeader] === "user-role-view";
    void handleRpc(sensor, Buffer.concat(chunks).toString(), mayOnlyView).then((answer) => {
      if (answer === null) send(403, { error: "This user can't change the sensor" });
      else send(200, answer);
    });
  });
}
