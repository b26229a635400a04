// VPN client of a sensor: connects while requested (docs/device-protocol.md#7-desired-and-reported).
import { wireId } from "@psp/contract/kit/ids.ts";
import type { DesiredState } from "@psp/contract/device/device-messages.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { serveDevice } from "../remote/serve.ts";
import { sendReported } from "./announce.ts";

const startMs = 1_500;
const retryMs = 5_000;

/** Stores whether and until when the sensor should be connected. */
export function setVpnRequest(sensor: Sensor, request: DesiredState["vpn"]): void {
  sensor.vpn.until = request?.connect === true ? (request.until ?? Infinity) : 0;
  updateVpn(sensor);
}

/** Connects or disconnects as requested, if the sensor is online. The next reported state includes the result. */
export function updateVpn(sensor: Sensor): void {
  const { vpn, env } = sensor;
  const { net } = env;
  vpn.cancelEnd?.();
  vpn.cancelEnd = null;
  if (sensor.phase !== "up" || vpn.until <= net.now()) return disconnectVpn(sensor);
  if (vpn.until !== Infinity) vpn.cancelEnd = net.at(vpn.until, () => endInTime(sensor));
  if (vpn.state !== "off") return;
  vpn.state = "connecting";
  connectIn(sensor, startMs);
}

/** Disconnects and cancels attempts, but reports nothing. */
export function disconnectVpn({ vpn }: Sensor): void {
  vpn.attempt += 1;
  for (const cancel of [vpn.cancelStart, vpn.cancelEnd]) cancel?.();
  vpn.cancelStart = vpn.cancelEnd = null;
  const { session } = vpn;
  vpn.session = null;
  vpn.state = "off";
  session?.close();
}

function endInTime(sensor: Sensor): void {
  disconnectVpn(sensor);
  sendReported(sensor);
}

function connectIn(sensor: Sensor, ms: number): void {
  const { vpn, env } = sensor;
  vpn.cancelStart = env.net.at(env.net.now() + ms, () => void connect(sensor, (vpn.attempt += 1)));
}

async function connect(sensor: Sensor, attempt: number): Promise<void> {
  const { vpn, env, id } = sensor;
  const session = await env.vpn?.dial(
    wireId(id),
    (request, reply) => serveDevice(sensor, request, reply),
    () => {
      if (vpn.attempt === attempt) lose(sensor);
    },
  );
  if (vpn.attempt !== attempt) return session?.close();
  if (!session) return lose(sensor);
  vpn.session = session;
  vpn.state = "up";
  env.log(id, `in the VPN as ${session.address}`);
  sendReported(sensor);
}

/** Handles a refusal or disconnection by the server: reports it, and retries while a connection is requested. */
function lose(sensor: Sensor): void {
  const { vpn, env } = sensor;
  vpn.session = null;
  if (vpn.state !== "error") {
    vpn.state = "error";
    env.log(sensor.id, "not in the VPN");
    sendReported(sensor);
  }
  connectIn(sensor, retryMs);
}
