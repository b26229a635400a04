// What a sensor serves to whom reaches it, through its tunnel or its VPN: its configuration page, and its REST interface.
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Sensor } from "../device/sensor-state.ts";
import { servePage } from "../page/page.ts";
import { serveRest } from "./facade.ts";

export function serveDevice(sensor: Sensor, request: Http2ServerRequest, reply: Http2ServerResponse): void {
  request.on("error", () => undefined);
  reply.stream.on("error", () => undefined);
  if (!servePage(sensor, request, reply)) serveRest(sensor, request, reply);
}
