// The response to an enrollment: the device's credential, and where it connects to.
import { wireId } from "@psp/contract/kit/ids.ts";
import { hostStateTopic } from "@psp/contract/device/device-topics.ts";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import type { Config } from "../../config.ts";
import type { Context } from "../../context.ts";
import { firmwarePublicKey } from "../../kit/signing.ts";

export function toEnrolReply(
  ctx: Context,
  done: { sensorId: string; secret: string; claimingCode: string },
  takenPort: number | null,
): EnrolReply {
  const id = wireId(done.sensorId);
  return {
    sensorId: done.sensorId,
    mqtt: { ...endpointOf(ctx.config, takenPort), username: id, clientId: id, password: done.secret },
    hostState: hostStateTopic,
    serverTime: ctx.clock.now(),
    claimingCode: done.claimingCode,
    fwKey: firmwarePublicKey(ctx.config.secrets.firmware),
  };
}

export function endpointOf(
  { mqtt }: Pick<Config, "mqtt">,
  takenPort: number | null,
): { host: string; port: number; tls: boolean } {
  const { url, tls, port, publicHost } = mqtt;
  if (url === null) {
    const isSecure = publicHost.tls ?? tls !== null;
    return { host: publicHost.name, port: publicHost.port ?? tls?.port ?? takenPort ?? port, tls: isSecure };
  }
  const outside = new URL(url);
  const isSecure = publicHost.tls ?? /^(mqtts|ssl|wss):$/.test(outside.protocol);
  const outsidePort = Number(outside.port) || (isSecure ? 8883 : 1883);
  return {
    host: publicHost.isSet ? publicHost.name : outside.hostname,
    port: publicHost.port ?? outsidePort,
    tls: isSecure,
  };
}
