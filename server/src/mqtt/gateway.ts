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
import type { Broker, BrokerGuard, Delivery, DeviceMessage } from "./broker.ts";

export type From = { sensorId: string; kind: UpKind; correlation: Buffer | null };
type Handler<T> = (from: From, message: T) => Promise<void> | void;
type Registered = { schema: z.ZodType; handle: Handler<never> };

export type Gateway = ReturnType<typeof createGateway>;

const logEveryMs = 1_000;

export function createGateway(ctx: Context, broker: Broker) {
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
    await registered.handle({ sensorId, kind, correlation }, checked.data as never);
    drop("accepted");
  }

  const idOf = (wireId: string) => wireId.toUpperCase().match(/../g)?.join(":") ?? "";

  const publishHostState = (online: boolean) =>
    broker.publish(hostStateTopic, JSON.stringify({ online, ts: ctx.clock.now() }), { qos: 1, retain: true });

  return {
    /** One handler per kind. Its promise holds the device's acknowledgement back; it must not reject for bad content. */
    handle: <S extends z.ZodType>(kind: UpKind, schema: S, handler: Handler<z.output<S>>) =>
      void handlers.set(kind, { schema, handle: handler }),
    /** Any packet of a device, before its content is looked at. */
    onContact: (listener: (sensorId: string, kind: UpKind) => void) => void contacts.push(listener),
    onDisconnect: (listener: (sensorId: string) => void) => void disconnects.push(listener),
    publish: (sensorId: string, kind: DownKind, message: unknown, delivery: Delivery) =>
      broker.publish(downTopic(sensorId, kind), JSON.stringify(message), delivery),
    /** Takes a retained message back. */
    clear: (sensorId: string, kind: DownKind) =>
      broker.publish(downTopic(sensorId, kind), "", { qos: 1, retain: true }),
    disconnect: (sensorId: string, reasonCode: number) => broker.disconnect(toWireId(sensorId), reasonCode),
    isConnected: (sensorId: string) => broker.isConnected(toWireId(sensorId)),
    async start(authenticate: BrokerGuard["authenticate"]) {
      await broker.start({
        authenticate,
        onMessage,
        onDisconnect: (wireId) => disconnects.forEach((listener) => listener(idOf(wireId))),
        onOffense(wireId, what) {
          ctx.metrics.deviceMessages.inc({ kind: what, outcome: "refused" });
          complain({ wireId, what }, "a device tried what it may not");
        },
      });
      await publishHostState(true);
    },
    async stop() {
      await publishHostState(false).catch((error: unknown) =>
        ctx.log.warn({ err: error }, "the devices were not notified"),
      );
      await broker.stop();
    },
  };
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
const maxDepth = 16;
// eslint-disable-next-line no-control-regex -- control characters are exactly what is removed here
const unwanted = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;
/** Escapes are the only way to write what PostgreSQL refuses; texts without any need no second look. */
// eslint-disable-next-line no-control-regex -- see above
const suspicious = /\\u|[\u007f-\u009f\u2028\u2029]/;

/** The parsed payload, or null when it is no JSON of reasonable shape. */
function parsePayload(payload: Buffer): { value: unknown } | null {
  try {
    const text = decoder.decode(payload);
    const value: unknown = JSON.parse(text);
    return { value: tidy(value, maxDepth, suspicious.test(text)) };
  } catch {
    return null;
  }
}

/** Checks depth, and rewrites texts and keys where control characters or half characters may be. */
function tidy(value: unknown, depth: number, rewrite: boolean): unknown {
  if (typeof value === "string") return rewrite ? clean(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) throw new Error("too deep");
  if (!rewrite) {
    for (const item of Object.values(value)) tidy(item, depth - 1, false);
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => tidy(item, depth - 1, true));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), tidy(item, depth - 1, true)]));
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll(unwanted, "");
}
