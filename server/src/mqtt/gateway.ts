// Parses device messages by topic and schema and passes them to the registered handlers.
import { wireId as toWireId } from "@psp/contract/kit/ids.ts";
import {
  type DownKind,
  downTopic,
  hostStateTopic,
  parseUpTopic,
  type UpKind,
} from "@psp/contract/device/device-topics.ts";
import { formatMac } from "@psp/contract/kit/mac.ts";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { type Broker, type BrokerHandlers, type Delivery, type DeviceMessage, reasonCodes } from "./broker.ts";
import { toExcerpt, parsePayload } from "./payload.ts";

export type MessageSource = { sensorId: string; kind: UpKind; correlation: Buffer | null; isRetained: boolean };
type Handler<T> = (from: MessageSource, message: T) => Promise<void> | void;
type Registered = { schema: z.ZodType; handle: Handler<never> };
export type UnreadableMessage = { sensorId: string; kind: UpKind; reason: string; excerpt: string };

/** As in BrokerHandlers, but `isAdmitted` takes the sensor's id. */
type Admission = Pick<BrokerHandlers, "authenticate"> & { isAdmitted(sensorId: string): boolean };

export type Gateway = ReturnType<typeof createGateway>;

const logEveryMs = 1_000;
/** Bytes kept of an unreadable message. */
const maxExcerpt = 2_000;

export function createGateway(ctx: Context, broker: Broker) {
  const handlers = new Map<UpKind, Registered>();
  const contacts: ((sensorId: string, kind: UpKind) => void)[] = [];
  const disconnects: ((sensorId: string) => void)[] = [];
  const takeovers: ((sensorId: string, from: string, to: string) => void)[] = [];
  const links: ((isFirst: boolean) => void)[] = [];
  let onUnreadable: (message: UnreadableMessage) => Promise<void> = async () => undefined;
  let isStopping = false;

  const warnRateLimited = createRateLimitedWarning(ctx.log);

  async function onMessage({ topic, payload, correlation, isRetained = false }: DeviceMessage): Promise<void> {
    const parsed = parseUpTopic(topic);
    if (!parsed) return;
    const { sensorId, kind } = parsed;
    if (!isRetained) for (const listener of contacts) listener(sensorId, kind);
    const registered = handlers.get(kind);
    const drop = (outcome: string, details: Record<string, unknown> = {}) => {
      ctx.metrics.deviceMessages.inc({ kind, outcome });
      if (outcome === "invalid")
        warnRateLimited({ sensorId, kind, ...details }, "a device sent what can't be understood");
    };
    if (!registered) return drop("ignored");
    // If the JSON is invalid, the value is undefined, which only permissive schemas accept.
    const json = parsePayload(payload);
    const checked = registered.schema.safeParse(json?.value);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      const reason = json ? `${issue?.path.join(".") || "message"}: ${issue?.message ?? "invalid"}` : "Not valid JSON";
      drop("invalid", { reason, bytes: payload.length });
      return onUnreadable({ sensorId, kind, reason, excerpt: toExcerpt(payload, maxExcerpt) });
    }
    await registered.handle({ sensorId, kind, correlation, isRetained }, checked.data as never);
    drop("accepted");
  }

  const publishHostState = (online: boolean) =>
    broker
      .publish(hostStateTopic, JSON.stringify({ online, ts: ctx.clock.now() }), { qos: 1, retain: true })
      .catch((error: unknown) => ctx.log.warn({ err: error }, "the devices were not notified"));

  return {
    /**
     * Sets the handler of a kind. The device's acknowledgement waits for the handler's promise, which must not reject for bad content.
     */
    handle: <S extends z.ZodType>(kind: UpKind, schema: S, handler: Handler<z.output<S>>) =>
      void handlers.set(kind, { schema, handle: handler }),
    /** Called instead of the handler if a message is unreadable. The acknowledgement waits for the promise. */
    onUnreadable: (listener: typeof onUnreadable) => void (onUnreadable = listener),
    onContact: (listener: (sensorId: string, kind: UpKind) => void) => void contacts.push(listener),
    onLink: (listener: (isFirst: boolean) => void) => void links.push(listener),
    onDisconnect: (listener: (sensorId: string) => void) => void disconnects.push(listener),
    onTakeover: (listener: (sensorId: string, from: string, to: string) => void) => void takeovers.push(listener),
    publish: (sensorId: string, kind: DownKind, message: unknown, delivery: Delivery) =>
      broker.publish(downTopic(sensorId, kind), JSON.stringify(message), delivery),
    clear: (sensorId: string, kind: DownKind) =>
      broker.publish(downTopic(sensorId, kind), "", { qos: 1, retain: true }),
    disconnect: (sensorId: string, reasonCode: number) => broker.disconnect(toWireId(sensorId), reasonCode),
    /** Ends a session that the device replaced by one at another gateway, from the address `to`. */
    async endReplaced(sensorId: string, to: string | null) {
      const from = broker.addressOf(toWireId(sensorId));
      if (from !== null && to !== null) for (const listener of takeovers) listener(sensorId, from, to);
      await broker.disconnect(toWireId(sensorId), reasonCodes.sessionTakenOver);
      await broker.publish(downTopic(sensorId, "desired"), "", { qos: 1, retain: true });
    },
    readRetained: () => broker.readRetained?.(),
    isConnected: (sensorId: string) => broker.isConnected(toWireId(sensorId)),
    /** Whether devices can be reached. */
    isReady: () => broker.isReady(),
    async start({ authenticate, isAdmitted }: Admission) {
      await broker.start({
        authenticate,
        isAdmitted: (wireId) => isAdmitted(formatMac(wireId)),
        onMessage,
        onDisconnect: (wireId) => disconnects.forEach((listener) => listener(formatMac(wireId))),
        onTakeover: (wireId, from, to) => takeovers.forEach((listener) => listener(formatMac(wireId), from, to)),
        onOffense(wireId, what) {
          ctx.metrics.deviceMessages.inc({ kind: what, outcome: "refused" });
          warnRateLimited({ wireId, what }, "a device tried what it may not");
        },
        onLink(isFirst) {
          void publishHostState(true);
          for (const listener of links) listener(isFirst);
        },
        // Another gateway may have stopped when it did not know of this one yet.
        onHostOffline: () => void (isStopping || publishHostState(true)),
      });
    },
    /** `isLast`: no other gateway runs, so the devices learn that the platform is away. */
    async stop(isLast: boolean) {
      isStopping = true;
      if (isLast) await publishHostState(false);
      await broker.stop();
    },
  };
}

/** Logs at most one line in this time, with the number of omitted ones, because hostile devices must not fill the log. */
export function createRateLimitedWarning(log: Context["log"], everyMs = logEveryMs) {
  let lastLogAt = 0;
  let unlogged = 0;
  return (details: Record<string, unknown>, text: string) => {
    const now = Date.now();
    if (now - lastLogAt < everyMs) {
      unlogged += 1;
      return;
    }
    log.warn({ ...details, unlogged }, text);
    lastLogAt = now;
    unlogged = 0;
  };
}
