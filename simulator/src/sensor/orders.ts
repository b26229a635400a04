// What the cloud orders: acknowledgements, desired state, commands, remote functions; and the
// new password for a sensor whose owner changed: kept beside the old one until it was accepted (docs/device-protocol.md#a-new-password).
import type { IPublishPacket } from "mqtt";
import { downTopic, hostStateTopic } from "@psp/contract/device/device-topics.ts";
import {
  ackSchema,
  commandSchema,
  desiredSchema,
  hostStateSchema,
  type Desired,
  type DeviceCommand,
} from "@psp/contract/device/device-messages.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { onDesiredFirmware, reportJob } from "../firmware/install.ts";
import { parseJson } from "../link/link.ts";
import { onAck, onHostState, resendRange } from "../records/outbox.ts";
import { onRpc } from "../remote/remote.ts";
import { orderInterval } from "../section/effects.ts";
import { sendBirth, sendReported, sendLog } from "./announce.ts";
import { closeInterval, followFlow } from "./meter.ts";
import { orderVpn } from "./vpn-client.ts";

/** Handles a message of the cloud. */
export function onMessage(sensor: Sensor, topic: string, payload: Buffer, packet: IPublishPacket): void {
  const { id, world, around } = sensor;
  const body = parseJson(payload);
  if (topic === downTopic(id, "ack")) {
    const ack = ackSchema.safeParse(body);
    if (ack.success && world.receivesAcks(around.clock.now())) onAck(sensor.outbox, ack.data);
  } else if (topic === downTopic(id, "desired")) onDesired(sensor, body);
  else if (topic === downTopic(id, "cmd")) {
    const command = commandSchema.safeParse(body);
    if (command.success) onCommand(sensor, command.data);
  } else if (topic === downTopic(id, "rpc")) onRpc(sensor, body, packet.properties);
  else if (topic === hostStateTopic) {
    const host = hostStateSchema.safeParse(body);
    if (!host.success) return;
    if (host.data.online && !sensor.outbox.hostOnline && sensor.phase === "up") sendBirth(sensor);
    onHostState(sensor.outbox, host.data.online);
  }
}

/** Applies desired state all or nothing; an older revision is ignored, a broken one is reported and changes nothing. */
function onDesired(sensor: Sensor, body: unknown): void {
  const desired = desiredSchema.safeParse(body);
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
  if (sensor.type !== "ZOD") orderVpn(sensor, desired.data.vpn);
  sendReported(sensor);
  // The signature covers the manifest as it came, fields that this device does not know included.
  const raw = typeof body === "object" && body !== null && "fw" in body ? body.fw : null;
  if (!sensor.rest) onDesiredFirmware(sensor, desired.data.fw, raw);
}

function applyCfg(sensor: Sensor, { rev, cfg, psconnect }: Desired): void {
  // Every birth is answered with the same order again, which takes nothing back that was set on the device since.
  const isOrdered = cfg.countIntervalS !== sensor.orderedIntervalS;
  const countIntervalS = isOrdered ? cfg.countIntervalS : sensor.cfg.countIntervalS;
  if (countIntervalS !== sensor.cfg.countIntervalS && sensor.running) closeInterval(sensor, sensor.around.clock.now());
  sensor.rev = rev;
  sensor.cfg = { ...cfg, countIntervalS };
  sensor.orderedIntervalS = cfg.countIntervalS;
  if (isOrdered) orderInterval(sensor, countIntervalS);
  if (psconnect) sensor.psconnectOn = psconnect.enabled;
  followFlow(sensor);
  sensor.wake();
}

function onCommand(sensor: Sensor, command: DeviceCommand): void {
  // A server that gives orders is available, even if its acknowledgements got lost.
  onHostState(sensor.outbox, true);
  if (command.do === "rebirth") {
    sendBirth(sensor);
    sendReported(sensor);
    reportJob(sensor);
  } else if (command.do === "resend") {
    if (command.ep === sensor.outbox.buffer.ep) resendRange(sensor.outbox, command.from, command.to);
  } else if (command.do === "cred") {
    const isWorthATry = takeOrder(sensor, command);
    const { link } = sensor;
    // Only when it is known to hold both may the old one end.
    if (sensor.renewal)
      sendReported(sensor, (failed) => {
        if (failed || !isWorthATry || sensor.link !== link) return;
        tryNew(sensor);
        sensor.resetNetwork();
      });
  } else {
    sensor.logLevel = command.level;
    sendLog(sensor, `log level ${command.level}`);
  }
}

/** Both passwords refused this often: neither is good any more. */
const maxRefusals = 4;

/** What the next connection is tried with. */
export function passwordToTry({ renewal, password }: Sensor): string | null {
  return renewal?.isTried ? renewal.password : password;
}

/** Keeps the password of an order; true when it should be tried at once. */
function takeOrder(sensor: Sensor, { id, password }: { id: string; password: string }): boolean {
  // It is in use already: the order is an old one.
  if (password === sensor.password) return false;
  // Sent once more: a broker that did not accept it yet does so once it was informed that we hold it.
  if (sensor.renewal?.id === id) return sensor.renewal.refusals === 0;
  sensor.renewal = { id, password, isTried: false, refusals: 0 };
  sensor.around.keep(sensor);
  return true;
}

/** A connection broke that was good until then: the new password may be the right one by now. */
export function tryNew({ renewal }: Sensor): void {
  if (renewal) renewal.isTried = true;
}

/** The password was refused; true when there is another one to try. */
export function tryOther(sensor: Sensor): boolean {
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

/** Connected: the password that was accepted stays, and the one before it is forgotten. */
export function settle(sensor: Sensor): void {
  const { renewal } = sensor;
  if (renewal?.isTried) [sensor.password, sensor.renewal] = [renewal.password, null];
  else if (!sensor.oldPassword) return;
  sensor.oldPassword = null;
  sensor.around.keep(sensor);
}
