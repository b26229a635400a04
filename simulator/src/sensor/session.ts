// The talking side of a sensor: connects, says who it is, takes orders (device-protocol 4.3, 4.4 and 4.9).
import { randomBytes } from "node:crypto";
import type { IPublishPacket } from "mqtt";
import {
  ackSchema,
  commandSchema,
  desiredSchema,
  downFilter,
  downTopic,
  hostStateSchema,
  hostStateTopic,
  upTopic,
  type Birth,
  type Desired,
  type DeviceCommand,
} from "@psp/contract/sensor/sensor.device.ts";
import { wireId } from "@psp/contract/kit/ids.ts";
import { firstHeld } from "../records/buffer.ts";
import { backOffMs, enrol, EnrolError } from "../link/enrol.ts";
import { hardwareOf } from "../device/identity.ts";
import { onDesiredFirmware, tellJob } from "../firmware/install.ts";
import { passwordToTry, settle, takeOrder, tryNew, tryOther } from "./renewal.ts";
import { serveRest } from "../remote/facade.ts";
import { openLink } from "../link/link.ts";
import { closeInterval, followFlow, mark } from "./meter.ts";
import { closeOutbox, onAck, onHostState, openOutbox, resendRange } from "../records/outbox.ts";
import { onRpc } from "../remote/remote.ts";
import { wallClock, type Sensor } from "../device/sensor-state.ts";
import { dropTunnel, holdTunnel } from "../link/tunnel.ts";

const notAuthorised = [134, 135];

/** True when the sensor could have a connection now. */
function mayConnect(sensor: Sensor): boolean {
  return sensor.running && !sensor.stopped && !sensor.mute && sensor.world.linked(sensor.around.clock.now());
}

/** Brings the sensor to the broker, enrolling first when it has no credential; keeps trying until it works. */
export function goOnline(sensor: Sensor): void {
  if (sensor.phase !== "idle" || !mayConnect(sensor)) return;
  if (!sensor.password || !sensor.broker) void enrolOnce(sensor);
  else dial(sensor);
}

function retryIn(sensor: Sensor, ms: number): void {
  sensor.phase = "waiting";
  const { net } = sensor.around;
  sensor.cancelRetry = net.at(net.now() + ms, () => {
    sensor.phase = "idle";
    goOnline(sensor);
  });
}

async function enrolOnce(sensor: Sensor): Promise<void> {
  const { url, token, id, type, csr, fw } = sensor;
  if (!url || !token)
    return void sensor.onRefused?.(new Error(`Sensor ${id} has neither a credential nor an init token.`));
  sensor.phase = "enrolling";
  const credential = sensor.password ? { credential: sensor.password } : {};
  try {
    const reply = await enrol({
      url,
      token,
      id,
      type,
      csr,
      fw,
      hw: hardwareOf[type],
      time: wallClock(sensor),
      ...credential,
    });
    sensor.broker ??= { host: reply.mqtt.host, port: reply.mqtt.port, tls: reply.mqtt.tls };
    sensor.password = reply.mqtt.password;
    sensor.oldPassword = null;
    sensor.renewal = null;
    sensor.fwKey = reply.fwKey;
    sensor.claimingCode = reply.claimingCode;
    sensor.tries = 0;
    sensor.around.keep(sensor);
    sensor.around.log(id, `enrolled; registration code ${reply.claimingCode}`);
    sensor.phase = "idle";
    goOnline(sensor);
  } catch (error) {
    if (!(error instanceof EnrolError)) throw error;
    sensor.around.log(id, error.message);
    sensor.phase = "idle";
    if ((!error.retryable || error.status === 0) && sensor.onRefused?.(error)) return;
    retryIn(
      sensor,
      error.retryAfterMs === null ? backOffMs(sensor.tries++, sensor.luck()) : error.retryAfterMs * (1 + sensor.luck()),
    );
  }
}

function dial(sensor: Sensor): void {
  const { broker, id } = sensor;
  const password = passwordToTry(sensor);
  if (!broker || !password) return;
  const wire = wireId(id);
  sensor.phase = "connecting";
  sensor.sid = randomBytes(8).toString("hex");
  sensor.births++;
  const will = JSON.stringify({ online: false, sid: sensor.sid, n: sensor.births });
  const link = openLink(broker, { id, username: wire, clientId: wire, password }, will, {
    onUp: () => {
      if (sensor.link !== link) return;
      link.subscribe([downFilter(id), hostStateTopic], (failed) => {
        if (sensor.link !== link) return;
        if (!failed) return comeUp(sensor);
        sensor.around.log(id, `subscription refused: ${failed.message}`);
        goOffline(sensor);
        retryIn(sensor, backOffMs(sensor.tries++, sensor.luck()));
      });
    },
    onDown: (reason, refused) => {
      if (sensor.link === link) lostLink(sensor, reason, refused);
    },
    onMessage: (topic, payload, packet) => onMessage(sensor, topic, payload, packet),
  });
  sensor.link = link;
}

function lostLink(sensor: Sensor, reason: string, refused: number | null): void {
  const { id, around } = sensor;
  mark(sensor, around.clock.now());
  sensor.link = null;
  sensor.phase = "idle";
  closeOutbox(sensor.outbox);
  dropTunnel(sensor);
  around.log(id, `no connection: ${reason}`);
  if (!mayConnect(sensor)) return;
  if (refused === null) tryNew(sensor);
  else if (notAuthorised.includes(refused) && !tryOther(sensor)) {
    // No password is good any more: the init token opens the door again.
    if (sensor.token && sensor.url && sensor.tries > 0) return void enrolOnce(sensor);
  }
  retryIn(sensor, backOffMs(sensor.tries++, sensor.luck()) / 3);
}

/** An enrolment under way can't be called back: until it is answered, no second one may begin. */
function rest(sensor: Sensor): void {
  if (sensor.phase !== "enrolling") sensor.phase = "idle";
}

/** Ends the connection; `broken` as a cut cable does, so that the will is sent, else in order. */
export function goOffline(sensor: Sensor, broken = true): void {
  mark(sensor, sensor.around.clock.now());
  sensor.cancelRetry?.();
  sensor.cancelRetry = null;
  closeOutbox(sensor.outbox);
  dropTunnel(sensor);
  const { link } = sensor;
  sensor.link = null;
  rest(sensor);
  if (broken) link?.cut();
  else link?.close();
}

/** Says good-bye with its own death message and closes; resolves when the broker has it or after `withinMs`. */
export function sayGoodbye(sensor: Sensor, why: string, withinMs = 2000): Promise<void> {
  const { link, phase, sid, births, id } = sensor;
  mark(sensor, sensor.around.clock.now());
  closeOutbox(sensor.outbox);
  dropTunnel(sensor);
  sensor.cancelRetry?.();
  sensor.cancelRetry = null;
  sensor.link = null;
  rest(sensor);
  if (!link) return Promise.resolve();
  if (phase !== "up") return Promise.resolve(link.cut());
  return new Promise((resolve) => {
    // A broker that is gone answers nothing any more; the machine's own time bounds the waiting for it.
    const timer = setTimeout(() => {
      link.cut();
      resolve();
    }, withinMs);
    const death = JSON.stringify({ online: false, sid, n: births, why });
    link.publish(upTopic(id, "state"), death, { retain: true }, () => {
      link.close(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  });
}

function comeUp(sensor: Sensor): void {
  mark(sensor, sensor.around.clock.now());
  sensor.phase = "up";
  sensor.tries = 0;
  settle(sensor);
  sendBirth(sensor);
  sendReported(sensor);
  tellJob(sensor);
  if (sensor.rest) holdTunnel(sensor, (request, reply) => serveRest(sensor, request, reply));
  openOutbox(sensor.outbox, sensor.sid, (topic, payload, done) => {
    sensor.link?.publish(topic, payload, {}, done);
  });
  sensor.around.log(sensor.id, "online");
  sensor.onUp?.();
}

export function sendBirth(sensor: Sensor): void {
  const { buffer } = sensor.outbox;
  const now = wallClock(sensor);
  const birth: Birth = {
    online: true,
    sid: sensor.sid,
    n: sensor.births,
    bootId: sensor.bootId,
    bootAt: sensor.clockState === "lost" ? 0 : sensor.bootAt,
    reason: sensor.bootReason,
    type: sensor.type,
    fw: sensor.fw,
    hw: hardwareOf[sensor.type],
    proto: 1,
    ep: buffer.ep,
    seq: { first: firstHeld(buffer), next: buffer.next },
    caps: [
      "count",
      "snapshot",
      ...(sensor.rest ? [] : ["fw"]),
      ...(sensor.type === "PS.C1" ? ["occupancy"] : []),
      ...(sensor.type === "ZOD" ? ["position"] : ["vpn"]),
    ],
    clock: {
      now,
      synced: sensor.clockState === "ok",
      src: sensor.clockState === "ok" ? "ntp" : "rtc",
      offMs: now - sensor.around.clock.now(),
    },
    ip: `10.${(sensor.profile.seed >>> 16) & 255}.${(sensor.profile.seed >>> 8) & 255}.${sensor.profile.seed & 255}`,
  };
  sensor.link?.publish(upTopic(sensor.id, "state"), JSON.stringify(birth), { retain: true });
}

export function sendReported(sensor: Sensor, done?: (failed: Error | null) => void): void {
  const { type, fw, cfg, profile } = sensor;
  const reported = {
    rev: Math.max(0, sensor.rev),
    applied: Math.max(0, sensor.rev),
    error: sensor.cfgError,
    cfg,
    ...(type === "ZOD"
      ? {}
      : { vpn: { state: sensor.vpnOn ? "up" : "off", ...(sensor.vpnOn ? { address: "10.8.0.7" } : {}) } }),
    psconnect: { connectionStatus: sensor.psconnectOn ? "connected" : "disconnected" },
    info: { software: { firmware: { version: fw } }, hardware: { model: hardwareOf[type] } },
    lines: profile.lines.map(({ id, name }) => ({ id, name, kind: "line" })),
    ...(sensor.renewal ? { cred: sensor.renewal.id } : {}),
  };
  sensor.link?.publish(upTopic(sensor.id, "reported"), JSON.stringify(reported), { retain: true }, done);
}

function parseJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString("utf8"));
  } catch {
    return null;
  }
}

function onMessage(sensor: Sensor, topic: string, payload: Buffer, packet: IPublishPacket): void {
  const { id, world, around } = sensor;
  const body = parseJson(payload);
  if (topic === downTopic(id, "ack")) {
    const ack = ackSchema.safeParse(body);
    if (ack.success && world.hearsAcks(around.clock.now())) onAck(sensor.outbox, ack.data);
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
  sendReported(sensor);
  // The signature covers the manifest as it came, fields that this device does not know included.
  const raw = typeof body === "object" && body !== null && "fw" in body ? body.fw : null;
  if (!sensor.rest) onDesiredFirmware(sensor, desired.data.fw, raw);
}

function applyCfg(sensor: Sensor, { rev, cfg, vpn, psconnect }: Desired): void {
  if (cfg.countIntervalS !== sensor.cfg.countIntervalS && sensor.running)
    closeInterval(sensor, sensor.around.clock.now());
  sensor.rev = rev;
  sensor.cfg = cfg;
  if (vpn) sensor.vpnOn = vpn.connect && (vpn.until ?? Infinity) > sensor.around.clock.now();
  if (psconnect) sensor.psconnectOn = psconnect.enabled;
  followFlow(sensor);
  sensor.wake();
}

function onCommand(sensor: Sensor, command: DeviceCommand): void {
  // Whoever gives orders is there, even if its acknowledgements got lost.
  onHostState(sensor.outbox, true);
  if (command.do === "rebirth") {
    sendBirth(sensor);
    sendReported(sensor);
    tellJob(sensor);
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
        goOffline(sensor, false);
        goOnline(sensor);
      });
  } else {
    sensor.logLevel = command.level;
    tellLog(sensor, `log level ${command.level}`);
  }
}

/** Sends a log line when the server asked for them. */
export function tellLog(sensor: Sensor, text: string): void {
  if (!sensor.logLevel || sensor.phase !== "up") return;
  const line = { at: wallClock(sensor), level: sensor.logLevel, text };
  sensor.link?.publish(upTopic(sensor.id, "log"), JSON.stringify(line), { qos: 0, expiryS: 3600 });
}
