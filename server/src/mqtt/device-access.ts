// Restricts devices to their own topics, with any broker (T-15).
import {
  downFilter,
  downKinds,
  downTopic,
  hostStateTopic,
  parseUpTopic,
  topicRoot,
  upTopic,
} from "@psp/contract/device/device-topics.ts";
import { wireId as toWireId } from "@psp/contract/kit/ids.ts";

export function canPublish(wireId: string, topic: string): boolean {
  const parsed = parseUpTopic(topic);
  return parsed !== null && toWireId(parsed.sensorId) === wireId;
}

/** Allows only the device's own `dn` topics, by name or by wildcard, and the state of the host. */
export function canSubscribe(wireId: string, filter: string): boolean {
  return (
    filter === hostStateTopic ||
    filter === downFilter(wireId) ||
    filter === `${downFilter(wireId).slice(0, -1)}+` ||
    downKinds.some((kind) => filter === downTopic(wireId, kind))
  );
}

export function canReceive(wireId: string, topic: string): boolean {
  return topic === hostStateTopic || topic.startsWith(downFilter(wireId).slice(0, -1));
}

/** A will may only announce the death of the device itself. */
export function canSetWill(wireId: string, will: { topic: string; qos: number; payload: Buffer }): boolean {
  return will.topic === upTopic(wireId, "state") && will.qos < 2 && will.payload.length <= 4096;
}

/** A device must name itself as both client and user. */
export function isOwnLogin(clientId: string, username: string | undefined): boolean {
  return username === clientId && isWireId(clientId);
}

/** The gateways' login may lack the right to read it. */
export const brokerVersionTopic = "$SYS/broker/version";

/** What gateways use at an external broker. Brokers may ask with or without the group of a shared subscription. */
export function canGatewayUse(topicOrFilter: string): boolean {
  return (
    topicOrFilter === brokerVersionTopic || topicOrFilter.replace(/^\$share\/gw\//, "").startsWith(`${topicRoot}/`)
  );
}

export function isWireId(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}
