// Accepts device messages: rate-limited per device, bounded in memory, acknowledged after the commit.
import { parseUpTopic, protocolLimits } from "@psp/contract/device/device-topics.ts";
import type { Client, PublishPacket } from "aedes";
import type { Context } from "../context.ts";
import { createTokenBucket, type TokenBucket } from "../kit/limits/rate-limit.ts";
import { createWeightedSemaphore, type WeightedSemaphore } from "../kit/limits/semaphores.ts";
import type { BrokerHandlers } from "./broker.ts";
import type { ReadControl } from "./read-control.ts";

export type DeviceConnection = {
  wireId: string;
  pace: TokenBucket;
  window: WeightedSemaphore;
  readControl: ReadControl;
  offenses: number;
};

const pace = { perSecond: 100, burst: 1000 };
/** Maximum bytes of messages that wait for their commit, for all devices. Beyond it, sockets are not read. */
const maxPendingBytes = 32 * 1024 * 1024;
/** Small messages such as births skip the memory limit. */
const smallBytes = 1024;
const nothing = Buffer.alloc(0);

export const createDeviceConnection = (wireId: string, readControl: ReadControl): DeviceConnection => ({
  wireId,
  pace: createTokenBucket(pace.perSecond, pace.burst),
  window: createWeightedSemaphore(protocolLimits.receiveMaximum),
  readControl,
  offenses: 0,
});

export function createMessageIntake(ctx: Pick<Context, "log" | "metrics">) {
  const total = createWeightedSemaphore(maxPendingBytes);

  /** Null if the message may pass at once; else resolves when rate, window and memory allow it. */
  function acquireCapacity(link: DeviceConnection, size: number): Promise<void> | null {
    const delay = link.pace.delayMs(performance.now());
    const space = () => (size <= smallBytes ? total.take(size) : total.acquire(size)) ?? undefined;
    if (delay > 0) {
      const later = new Promise((go) => setTimeout(go, delay).unref());
      return later.then(() => link.window.acquire(1)).then(space);
    }
    const window = link.window.acquire(1);
    return window ? window.then(space) : (space() ?? null);
  }

  return {
    /**
     * Accepts a message. The broker acknowledges before it publishes, which is too early. It therefore gets an empty QoS 0 message
     * without a receiver, and the PUBACK is written here after the commit.
     */
    async accept(client: Client, link: DeviceConnection, packet: PublishPacket, guard: BrokerHandlers): Promise<void> {
      const { qos, messageId, topic } = packet;
      const acknowledged = ctx.metrics.acknowledgedSeconds.startTimer({ kind: parseUpTopic(topic)?.kind ?? "other" });
      const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
      const correlation = packet.properties?.correlationData ?? null;
      packet.qos = 0;
      packet.retain = false;
      packet.payload = nothing;
      const size = payload.length + 256;
      const turn = acquireCapacity(link, size);
      if (turn) {
        link.readControl.pause();
        await turn;
        link.readControl.resume();
      }
      ctx.metrics.deviceWaiting.set(total.held);
      const free = () => {
        link.window.release(1);
        total.release(size);
        ctx.metrics.deviceWaiting.set(total.held);
      };
      if (client.closed) return free();
      guard
        .onMessage({ wireId: link.wireId, topic, payload, correlation })
        .then(
          () => {
            if (qos !== 1 || messageId === undefined || client.closed) return;
            client.conn.write(Buffer.from([0x40, 2, messageId >> 8, messageId & 0xff]));
            acknowledged();
          },
          (error: unknown) => {
            ctx.log.error({ err: error, topic }, "a device message failed");
            client.close();
          },
        )
        .finally(free);
    },
  };
}
