// Handles cloud messages: acknowledgements, desired state, commands, remote functions, and password rotation
// (docs/device-protocol.md#a-new-password).
import type { IPublishPacket } from "mqtt";
import { downTopic, hostStateTopic } from "@psp/contract/device/device-topics.ts";
import {
  ackSchema,
  deviceCommandSchema,
  desiredStateSchema,
  hostStateSchema,
  type DesiredState,
  type DeviceCommand,
} from "@psp/contract/device/device-messages.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { onDesiredFirmware, resendJobReport } from "../firmware/install.ts";
import { parseJson } from "../link/link.ts";
import { onAck, onHostState, resendRange } from "../records/outbox.ts";
import { onRpc } from "../remote/remote.ts";
import { applyCloudInterval } from "../section/effects.ts";
import { sendBirth, sendReported, sendLog } from "./announce.ts";
import { closeInterval, updateFlowReporting } from "./meter.ts";
import { setVpnRequest } from "./vpn-client.ts";

export function onMessage(sensor: Sensor, topic: string, payload: Buffer, packet: IPublishPacket): void {
  const { id, world, env } = sensor;
  const body = parseJson(payload);
  if (topic === downTopic(id, "ack")) {
    const ack = ackSchema.safeParse(body);
    if (ack.success && world.receivesAcks(env.clock.now())) onAck(sensor.outbox, ack.data);
  } else if (topic === downTopic(id, "desired")) onDesired(sensor, body);
  else if (topic === downTopic(id, "cmd")) {
    const command = deviceCommandSchema.safeParse(body);
    if (command.success) onCommand(sensor, command.data);
  } else if (topic === downTopic(id, "rpc")) onRpc(sensor, body, packet.properties);
  else if (topic === hostStateTopic) {
    const host = hostStateSchema.safeParse(body);
    if (!host.success) return;
    if (host.data.online && !sensor.outbox.hostOnline && sensor.phase === "up") sendBirth(sensor);
    onHostState(sensor.outbox, host.data.online);
  }
}

/** All or nothing: older revisions are ignored, invalid state is reported without any change. */
function onDesired(sensor: Sensor, body: unknown): void {
  const desired = desiredStateSchema.safeParse(body);
  if (!desired.success) {
    const issue = desired.error.issues[0];
    sensor.cfgError = {
      code: "INVALID",
      message: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`.slice(0, 500),
    };
    return sendReported(sensor);
  }
  if (desired.data.rev < sensor.rev) return;
  sensor.cfgError = null;
  applyCfg(sensor, desired.data);
  if (sensor.type !== "ZOD") setVpnRequest(sensor, desired.data.vpn);
  sendReported(sensor);
  // The signature covers the manifest as received, including unknown fields.
  const raw = typeof body === "object" && body !== null && "fw" in body ? body.fw : null;
  if (!sensor.rest) onDesiredFirmware(sensor, desired.data.fw, raw);
}

function applyCfg(sensor: Sensor, { rev, cfg, psconnect }: DesiredState): void {
  // The server repeats its order after every birth; a repeated order must not revert local changes.
  const isOrdered = cfg.countIntervalS !== sensor.orderedIntervalS;
  const countIntervalS = isOrdered ? cfg.countIntervalS : sensor.cfg.countIntervalS;
  if (countIntervalS !== sensor.cfg.countIntervalS && sensor.running) closeInterval(sensor, sensor.env.clock.now());
  sensor.rev = rev;
  sensor.cfg = { ...cfg, countIntervalS };
  sensor.orderedIntervalS = cfg.countIntervalS;
  if (isOrdered) applyCloudInterval(sensor, countIntervalS);
  if (psconnect) sensor.psconnectOn = psconnect.enabled;
  updateFlowReporting(sensor);
  sensor.wake();
}

function onCommand(sensor: Sensor, command: DeviceCommand): void {
  // A server that sends orders is available, even if acknowledgements are lost.
  onHostState(sensor.outbox, true);
  if (command.do === "rebirth") {
    sendBirth(sensor);
    sendReported(sensor);
    resendJobReport(sensor);
  } else if (command.do === "resend") {
    if (command.ep === sensor.outbox.buffer.ep) resendRange(sensor.outbox, command.from, command.to);
  } else if (command.do === "cred") {
    const isWorthATry = takeOrder(sensor, command);
    const { link } = sensor;
    // Reports that the new password is stored, and tries it only after the broker has acknowledged the report.
    if (sensor.renewal)
      sendReported(sensor, (failed) => {
        if (failed || !isWorthATry || sensor.link !== link) return;
        retryNewPassword(sensor);
        sensor.resetNetwork();
      });
  } else {
    sensor.logLevel = command.level;
    sendLog(sensor, `log level ${command.level}`);
  }
}

/** After this many refusals, both passwords are considered invalid. */
const maxRefusals = 4;

export function nextPassword({ renewal, password }: Sensor): string | null {
  return renewal?.isTried ? renewal.password : password;
}

/** Stores the ordered password; returns true if it should be tried immediately. */
function takeOrder(sensor: Sensor, { id, password }: { id: string; password: string }): boolean {
  // An old order: the password is already in use.
  if (password === sensor.password) return false;
  // The order was resent: the broker accepts the password only after we have reported it.
  if (sensor.renewal?.id === id) return sensor.renewal.refusals === 0;
  sensor.renewal = { id, password, isTried: false, refusals: 0 };
  sensor.env.persist(sensor);
  return true;
}

/** Call after a connection broke: the new password may have become valid. */
export function retryNewPassword({ renewal }: Sensor): void {
  if (renewal) renewal.isTried = true;
}

/** Call after a refusal; returns true if there is another password to try. */
export function switchPassword(sensor: Sensor): boolean {
  const { renewal } = sensor;
  if (renewal && renewal.refusals < maxRefusals) {
    renewal.refusals++;
    renewal.isTried = !renewal.isTried;
    return true;
  }
  if (!sensor.oldPassword) return false;
  [sensor.password, sensor.oldPassword] = [sensor.oldPassword, null];
  return true;
}

/** Forgets the other password after a successful connect. */
export function keepAcceptedPassword(sensor: Sensor): void {
  const { renewal } = sensor;
  if (renewal?.isTried) [sensor.password, sensor.renewal] = [renewal.password, null];
  else if (!sensor.oldPassword) return;
  sensor.oldPassword = null;
  sensor.env.persist(sensor);
}
