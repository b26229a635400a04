// MQTT topics and limits of SDP/1 (docs/device-protocol.md).
import { wireId } from "../kit/ids.ts";
import { formatMac } from "../kit/mac.ts";

export const topicRoot = "sdp/1";
export const hostStateTopic = `${topicRoot}/_host/state`;

export const upKinds = ["state", "reported", "data", "fill", "health", "event", "live", "job", "rpc", "log"] as const;
export type UpKind = (typeof upKinds)[number];
export const downKinds = ["ack", "desired", "rpc", "cmd"] as const;
export type DownKind = (typeof downKinds)[number];

/** Returns `sdp/1/{id}/up/{kind}`. Accepts a sensor id or its wire form. */
export function upTopic(sensorId: string, kind: Exclude<UpKind, "rpc"> | `rpc/${string}`): string {
  return `${topicRoot}/${wireId(sensorId)}/up/${kind}`;
}
export function downTopic(sensorId: string, kind: DownKind): string {
  return `${topicRoot}/${wireId(sensorId)}/dn/${kind}`;
}
export function downFilter(sensorId: string): string {
  return `${topicRoot}/${wireId(sensorId)}/dn/#`;
}

const topicPattern = /^sdp\/1\/([0-9a-f]{12})\/up\/([a-z]+)(?:\/([\w-]{1,64}))?$/;

/** Parses a topic of device messages; returns null for other topics. `sensorId` is in canonical form (colons, upper case). */
export function parseUpTopic(topic: string): { sensorId: string; kind: UpKind; replyTo: string | null } | null {
  const match = topicPattern.exec(topic);
  if (!match) return null;
  const [, id = "", kind = "", replyTo = null] = match;
  const known = upKinds.find((one) => one === kind);
  if (!known || (known === "rpc") !== (replyTo !== null)) return null;
  return { sensorId: formatMac(id), kind: known, replyTo };
}

export const protocolLimits = {
  packetBytes: 1024 * 1024,
  batchRecords: 200,
  batchBytes: 128 * 1024,
  receiveMaximum: 20,
  keepAliveS: 60,
  sessionExpiryS: 7 * 24 * 3600,
  willDelayS: 30,
  ackIntervalMs: 1000,
  resendAfterMs: 30_000,
} as const;
