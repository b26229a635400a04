// What a device may touch: its own topics and nothing else, whatever the broker (T-15).
import {
  downFilter,
  downKinds,
  downTopic,
  hostStateTopic,
  parseUpTopic,
  upTopic,
} from "@psp/contract/device/device-topics.ts";
import { wireId as toWireId } from "@psp/contract/kit/ids.ts";

/** Publishing is allowed on the device's own `up` topics only. */
export function mayPublish(wireId: string, topic: string): boolean {
  const parsed = parseUpTopic(topic);
  return parsed !== null && toWireId(parsed.sensorId) === wireId;
}

/** Subscribing: the device's own `dn` topics by name or as a whole, and the state of the host. A closed list, so it is short. */
export function maySubscribe(wireId: string, filter: string): boolean {
  return (
    filter === hostStateTopic ||
    filter === downFilter(wireId) ||
    filter === `${downFilter(wireId).slice(0, -1)}+` ||
    downKinds.some((kind) => filter === downTopic(wireId, kind))
  );
}

/** Looked at once more for every message on its way out. */
export function mayReceive(wireId: string, topic: string): boolean {
  return topic === hostStateTopic || topic.startsWith(downFilter(wireId).slice(0, -1));
}

/** A will may only say that the device itself is gone. */
export function mayLeaveWill(wireId: string, will: { topic: string; qos: number; payload: Buffer }): boolean {
  return will.topic === upTopic(wireId, "state") && will.qos < 2 && will.payload.length <= 4096;
}

export function isWireId(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}
