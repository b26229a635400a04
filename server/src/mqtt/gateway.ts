// Turns packets of devices into typed messages: topic and schema checked here, then handed to the registered handlers.
import { wireId as toWireId } from "@psp/contract/kit/ids.ts";
import {
  type DownKind,
  downTopic,
  hostStateTopic,
  parseUpTopic,
  type UpKind,
} from "@psp/contract/sensor/device-topics.ts";
import type { z } from "zod";
import type { Context } from "../context.ts";
import type { Broker, Delivery, DeviceMessage } from "./broker.ts";
import { parsePayload } from "./payload.ts";

export type From = { sensorId: string; kind: UpKind; rxAt: number; correlation: Buffer | null };
type Handler<T> = (from: From, message: T) => Promise<void> | void;
type Registered = { schema: z.ZodType; handle: Handler<never> };

export type Gateway = {
  /** One handler per kind. Its promise holds the device's acknowledgement back; it must not reject for bad content. */
  handle<S extends z.ZodType>(kind: UpKind, schema: S, handler: Handler<z.output<S>>): void;
  /** Any packet of a device, before its content is looked at. */
  onContact(listener: (sensorId: string, kind: UpKind) => void): void;
  onDisconnect(listener: (sensorId: string) => void): void;
  publish(sensorId: string, kind: DownKind, message: unknown, delivery: Delivery): Promise<void>;
  /** Takes a retained message back. */
  clear(sensorId: string, kind: DownKind): Promise<void>;
  disconnect(sensorId: string, reasonCode: number): Promise<void>;
  isConnected(sensorId: string): boolean | null;
  start(authenticate: (wireId: string, secret: string) => Promise<boolean>): Promise<void>;
  stop(): Promise<void>;
};

const logEveryMs = 1_000;

export function createGateway(ctx: Context, broker: Broker): Gateway {
  const handlers = new Map<UpKind, Registered>();
  const contacts: ((sensorId: string, kind: UpKind) => void)[] = [];
  const disconnects: ((sensorId: string) => void)[] = [];
  let lastLogAt = 0;
  let unlogged = 0;

  /** Hostile devices must not fill the log: at most one line a second, with the number of those left out. */
  function complain(details: Record<string, unknown>, text: string) {
    const now = Date.now();
    if (now - lastLogAt < logEveryMs) {
      unlogged += 1;
      return;
    }
    ctx.log.warn({ ...details, unlogged }, text);
    lastLogAt = now;
    unlogged = 0;
  }

  async function onMessage({ topic, payload, correlation }: DeviceMessage): Promise<void> {
    const parsed = parseUpTopic(topic);
    if (!parsed) return;
    const { sensorId, kind } = parsed;
    for (const listener of contacts) listener(sensorId, kind);
    const registered = handlers.get(kind);
    const drop = (outcome: string, details: Record<string, unknown> = {}) => {
      ctx.metrics.deviceMessages.inc({ kind, outcome });
      if (outcome === "invalid") complain({ sensorId, kind, ...details }, "a device sent what can't be understood");
    };
    if (!registered) return drop("ignored");
    // What is no JSON has no value; only a kind that takes anything receives it.
    const json = parsePayload(payload);
    const checked = registered.schema.safeParse(json?.value);
    if (!checked.success) {
      return drop("invalid", json ? { field: checked.error.issues[0]?.path.join(".") } : { bytes: payload.length });
    }
    await registered.handle({ sensorId, kind, rxAt: ctx.clock.now(), correlation }, checked.data as never);
    drop("accepted");
  }

  const idOf = (wireId: string) => wireId.toUpperCase().match(/../g)?.join(":") ?? "";

  const publishHostState = (online: boolean) =>
    broker.publish(hostStateTopic, JSON.stringify({ online, ts: ctx.clock.now() }), { qos: 1, retain: true });

  return {
    handle: (kind, schema, handler) => void handlers.set(kind, { schema, handle: handler }),
    onContact: (listener) => void contacts.push(listener),
    onDisconnect: (listener) => void disconnects.push(listener),
    publish: (sensorId, kind, message, delivery) =>
      broker.publish(downTopic(sensorId, kind), JSON.stringify(message), delivery),
    clear: (sensorId, kind) => broker.publish(downTopic(sensorId, kind), "", { qos: 1, retain: true }),
    disconnect: (sensorId, reasonCode) => broker.disconnect(toWireId(sensorId), reasonCode),
    isConnected: (sensorId) => broker.isConnected(toWireId(sensorId)),
    async start(authenticate) {
      await broker.start({
        authenticate,
        onMessage,
        onDisconnect: (wireId) => disconnects.forEach((listener) => listener(idOf(wireId))),
        onOffence(wireId, what) {
          ctx.metrics.deviceMessages.inc({ kind: what, outcome: "refused" });
          complain({ wireId, what }, "a device tried what it may not");
        },
      });
      await publishHostState(true);
    },
    async stop() {
      await publishHostState(false).catch((error: unknown) =>
        ctx.log.warn({ err: error }, "the devices were not told"),
      );
      await broker.stop();
    },
  };
}
