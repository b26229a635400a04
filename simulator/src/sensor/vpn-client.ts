// A sensor in its VPN: connects while it is asked to, and leaves in time (docs/device-protocol.md#7-desired-and-reported).
import { wireId } from "@psp/contract/kit/ids.ts";
import type { Desired } from "@psp/contract/device/device-messages.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { serveDevice } from "../remote/serve.ts";
import { sendReported } from "./announce.ts";

/** How long an OpenVPN takes to start. */
const startMs = 1_500;
const retryMs = 5_000;

/** What the cloud asks for: to be connected until then, or not at all. */
export function orderVpn(sensor: Sensor, asked: Desired["vpn"]): void {
  sensor.vpn.until = asked?.connect === true ? (asked.until ?? Infinity) : 0;
  followVpn(sensor);
}

/** Does what is asked for by now, as far as there is a network; what the sensor reports next says so. */
export function followVpn(sensor: Sensor): void {
  const { vpn, around } = sensor;
  const { net } = around;
  vpn.cancelEnd?.();
  vpn.cancelEnd = null;
  if (sensor.phase !== "up" || vpn.until <= net.now()) return leaveVpn(sensor);
  if (vpn.until !== Infinity) vpn.cancelEnd = net.at(vpn.until, () => endInTime(sensor));
  if (vpn.state !== "off") return;
  vpn.state = "connecting";
  connectIn(sensor, startMs);
}

/** Ends the connection, and every attempt at one, without a word. */
export function leaveVpn({ vpn }: Sensor): void {
  vpn.attempt += 1;
  for (const cancel of [vpn.cancelStart, vpn.cancelEnd]) cancel?.();
  vpn.cancelStart = vpn.cancelEnd = null;
  const { session } = vpn;
  vpn.session = null;
  vpn.state = "off";
  session?.close();
}

function endInTime(sensor: Sensor): void {
  leaveVpn(sensor);
  sendReported(sensor);
}

function connectIn(sensor: Sensor, ms: number): void {
  const { vpn, around } = sensor;
  vpn.cancelStart = around.net.at(around.net.now() + ms, () => void connect(sensor, (vpn.attempt += 1)));
}

async function connect(sensor: Sensor, attempt: number): Promise<void> {
  const { vpn, around, id } = sensor;
  const session = await around.vpn?.dial(
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
  around.log(id, `in the VPN as ${session.address}`);
  sendReported(sensor);
}

/** Refused, or thrown out: says so, and tries again while it is wanted. */
function lose(sensor: Sensor): void {
  const { vpn, around } = sensor;
  vpn.session = null;
  if (vpn.state !== "error") {
    vpn.state = "error";
    around.log(sensor.id, "not in the VPN");
    sendReported(sensor);
  }
  connectIn(sensor, retryMs);
}
