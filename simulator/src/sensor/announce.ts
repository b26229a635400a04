// Status messages of a sensor: birth, reported state and log lines (docs/device-protocol.md#4-presence).
import { upTopic } from "@psp/contract/device/device-topics.ts";
import type { Birth } from "@psp/contract/device/device-messages.ts";
import { hardwareByType } from "../device/identity.ts";
import { wallClock, type Sensor } from "../device/sensor-state.ts";
import { findFirstHeld } from "../records/buffer.ts";
import { ipAddressOf } from "../section/psc1.ts";

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
    hw: hardwareByType[sensor.type],
    proto: 1,
    ep: buffer.ep,
    seq: { first: findFirstHeld(buffer), next: buffer.next },
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
      offMs: now - sensor.env.clock.now(),
    },
    ip: ipAddressOf(sensor),
  };
  sensor.link?.publish(upTopic(sensor.id, "state"), JSON.stringify(birth), { retain: true });
}

export function sendReported(sensor: Sensor, done?: (failed: Error | null) => void): void {
  const { type, fw, cfg, profile, vpn } = sensor;
  const reported = {
    rev: Math.max(0, sensor.rev),
    applied: Math.max(0, sensor.rev),
    error: sensor.cfgError,
    cfg,
    ...(type === "ZOD"
      ? {}
      : { vpn: { state: vpn.state, ...(vpn.session && { address: vpn.session.address, since: vpn.session.since }) } }),
    psconnect: { connectionStatus: sensor.psconnectOn || sensor.isTunnelOpen ? "connected" : "disconnected" },
    info: { software: { firmware: { version: fw } }, hardware: { model: hardwareByType[type] } },
    lines: profile.lines.map(({ id, name }) => ({ id, name, kind: "line" })),
    ...(sensor.renewal ? { cred: sensor.renewal.id } : {}),
  };
  sensor.link?.publish(upTopic(sensor.id, "reported"), JSON.stringify(reported), { retain: true }, done);
}

/** Sends a log line only if the server requested logs. */
export function sendLog(sensor: Sensor, text: string): void {
  if (!sensor.logLevel || sensor.phase !== "up") return;
  const line = { at: wallClock(sensor), level: sensor.logLevel, text };
  sensor.link?.publish(upTopic(sensor.id, "log"), JSON.stringify(line), { qos: 0, expiryS: 3600 });
}
