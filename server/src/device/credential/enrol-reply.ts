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
  const outside = url === null ? null : new URL(url);
  const isBrokerSecure = outside ? /^(mqtts|ssl|tls|wss):$/.test(outside.protocol) : tls !== null;
  const isSecure = publicHost.tls ?? isBrokerSecure;
  const standardPort = isSecure ? 8883 : 1883;
  const ownPort = isSecure ? tls?.port : (takenPort ?? port);
  // Another listener than that of the gateways, or a proxy, speaks raw MQTT there.
  const isOther = isSecure !== isBrokerSecure || /^wss?:$/.test(outside?.protocol ?? "");
  const outsidePort = isOther ? 0 : Number(outside?.port);
  return {
    host: outside && !publicHost.isSet ? outside.hostname : publicHost.name,
    port: publicHost.port ?? ((outside ? outsidePort : ownPort) || standardPort),
    tls: isSecure,
  };
}
