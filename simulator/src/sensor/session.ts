// Connection of a sensor: enrollment, connect, reconnect and disconnect (docs/device-protocol.md#3-the-connection).
import { randomBytes } from "node:crypto";
import { downFilter, hostStateTopic } from "@psp/contract/device/device-topics.ts";
import { wireId } from "@psp/contract/kit/ids.ts";
import { hardwareByType } from "../device/identity.ts";
import { wallClock, type Sensor } from "../device/sensor-state.ts";
import { resendJobReport } from "../firmware/install.ts";
import { backOffMs, enrol, EnrolError } from "../link/enrol.ts";
import { closeWithDeath, openLink, type Link } from "../link/link.ts";
import { openTunnel } from "../link/tunnel.ts";
import { closeOutbox, openOutbox } from "../records/outbox.ts";
import { serveDevice } from "../remote/serve.ts";
import { brokerOf, wantsTunnel } from "../section/effects.ts";
import { sendBirth, sendReported } from "./announce.ts";
import { accumulateUptime } from "./meter.ts";
import { updateVpn, disconnectVpn } from "./vpn-client.ts";
import { onMessage, nextPassword, keepAcceptedPassword, retryNewPassword, switchPassword } from "./orders.ts";

const notAuthorized = [134, 135];

function mayConnect(sensor: Sensor): boolean {
  if (!sensor.running || sensor.stopped || sensor.mute || sensor.isAway) return false;
  return sensor.world.linked(sensor.env.clock.now());
}

/** Connects, after enrolling if there is no credential; retries until it succeeds. */
export function goOnline(sensor: Sensor): void {
  if (sensor.phase !== "idle" || !mayConnect(sensor)) return;
  if (!sensor.password || !sensor.broker) void enrolOnce(sensor);
  else dial(sensor);
}

function retryIn(sensor: Sensor, ms: number): void {
  sensor.phase = "waiting";
  const { net } = sensor.env;
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
      hw: hardwareByType[type],
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
    sensor.env.persist(sensor);
    sensor.env.log(id, `enrolled; registration code ${reply.claimingCode}`);
    sensor.phase = "idle";
    goOnline(sensor);
  } catch (error) {
    if (!(error instanceof EnrolError)) throw error;
    sensor.env.log(id, error.message);
    sensor.phase = "idle";
    if ((!error.retryable || error.status === 0) && sensor.onRefused?.(error)) return;
    retryIn(
      sensor,
      error.retryAfterMs === null ? backOffMs(sensor.tries++, sensor.luck()) : error.retryAfterMs * (1 + sensor.luck()),
    );
  }
}

function dial(sensor: Sensor): void {
  const { id } = sensor;
  const broker = brokerOf(sensor);
  const password = nextPassword(sensor);
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
        sensor.env.log(id, `subscription refused: ${failed.message}`);
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
  release(sensor);
  sensor.env.log(sensor.id, `no connection: ${reason}`);
  if (!mayConnect(sensor)) return;
  if (refused === null) retryNewPassword(sensor);
  else if (notAuthorized.includes(refused) && !switchPassword(sensor)) {
    // No valid password left: enroll again with the init token.
    if (sensor.token && sensor.url && sensor.tries > 0) return void enrolOnce(sensor);
  }
  retryIn(sensor, backOffMs(sensor.tries++, sensor.luck()) / 3);
}

/** Detaches the connection and everything that depends on it; returns the connection. */
function release(sensor: Sensor): Link | null {
  accumulateUptime(sensor, sensor.env.clock.now());
  sensor.cancelRetry?.();
  sensor.cancelRetry = null;
  closeOutbox(sensor.outbox);
  dropTunnel(sensor);
  disconnectVpn(sensor);
  const { link } = sensor;
  sensor.link = null;
  sensor.upSince = null;
  // A running enrollment can't be canceled, so no second one may start.
  if (sensor.phase !== "enrolling") sensor.phase = "idle";
  return link;
}

/** If `broken`, cuts the connection like a pulled cable, so that the broker sends the will. */
export function goOffline(sensor: Sensor, broken = true): void {
  const link = release(sensor);
  if (broken) link?.cut();
  else link?.close();
}

/** Publishes the death message and disconnects; resolves when the broker has it, or after a timeout. */
export function disconnectWithDeath(sensor: Sensor, why: string): Promise<void> {
  const { phase, sid, births: n, id } = sensor;
  const link = release(sensor);
  if (link && phase === "up") return closeWithDeath(link, id, { online: false, sid, n, why });
  return Promise.resolve(link?.cut());
}

function comeUp(sensor: Sensor): void {
  accumulateUptime(sensor, sensor.env.clock.now());
  sensor.phase = "up";
  sensor.upSince = sensor.env.net.now();
  sensor.tries = 0;
  keepAcceptedPassword(sensor);
  updateVpn(sensor);
  sendBirth(sensor);
  sendReported(sensor);
  resendJobReport(sensor);
  holdTunnel(sensor);
  openOutbox(sensor.outbox, sensor.sid, (topic, payload, done) => {
    sensor.link?.publish(topic, payload, {}, done);
  });
  sensor.env.log(sensor.id, "online");
  sensor.onUp?.();
}

/** Opens or closes the tunnel by the PS.Connect setting and reports it. */
export function updateTunnel(sensor: Sensor): void {
  if (wantsTunnel(sensor)) return holdTunnel(sensor);
  if (!sensor.tunnel) return;
  dropTunnel(sensor);
  sendReported(sensor);
}

function holdTunnel(sensor: Sensor): void {
  const { url, password, id, env } = sensor;
  if (!wantsTunnel(sensor) || sensor.tunnel || !url || !password || sensor.phase !== "up") return;
  const login = { username: wireId(id), password };
  const opened = openTunnel(
    `${url.replace(/^http/, "ws")}/device/tunnel`,
    login,
    (request, reply) => serveDevice(sensor, request, reply),
    {
      onUp() {
        if (sensor.tunnel !== opened) return;
        sensor.tunnelTries = 0;
        sensor.isTunnelOpen = true;
      },
      onDown(reason) {
        if (sensor.tunnel !== opened) return;
        sensor.tunnel = null;
        sensor.isTunnelOpen = false;
        env.log(id, `no tunnel: ${reason}`);
        const { net } = env;
        net.at(net.now() + backOffMs(sensor.tunnelTries++, sensor.luck()), () => holdTunnel(sensor));
      },
    },
  );
  sensor.tunnel = opened;
}

function dropTunnel(sensor: Sensor): void {
  const { tunnel } = sensor;
  sensor.tunnel = null;
  sensor.isTunnelOpen = false;
  tunnel?.close();
}
