// Reads the states of devices that an external broker retains, because shared subscriptions get no retained messages.
import type { MqttClient } from "mqtt";
import { topicRoot } from "@psp/contract/device/device-topics.ts";

const openMs = 10_000;

/** `open` connects a client that does not reconnect. */
export function createRetainedReader(open: () => MqttClient, onState: (topic: string, payload: Buffer) => void) {
  let reader: MqttClient | null = null;
  return {
    read() {
      void reader?.endAsync(true);
      const one = open();
      reader = one;
      one.on("connect", () => one.subscribe(`${topicRoot}/+/up/state`, { qos: 0 }, () => undefined));
      one.on("message", (topic, payload, { retain }) => {
        if (retain && payload.length > 0) onState(topic, payload);
      });
      setTimeout(() => {
        if (reader === one) reader = null;
        void one.endAsync(true);
      }, openMs).unref();
    },
    stop: () => reader?.endAsync(true),
  };
}
