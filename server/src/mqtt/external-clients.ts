// The clients of an external broker: links that connect again until they are stopped, and clients that connect once.
import { setTimeout as delay } from "node:timers/promises";
import { topicRoot } from "@psp/contract/device/device-topics.ts";
import { connect, type IClientOptions, type MqttClient } from "mqtt";
import type { Context } from "../context.ts";
import { ConfigError } from "../environment.ts";
import { type Broker, toMqttProperties } from "./broker.ts";
import { createRateLimitedWarning } from "./gateway.ts";

/** A broker that is cut off is noticed after one and a half times as long. */
const keepalive = 10;
const commonOptions = { protocolVersion: 5, clean: true, keepalive, connectTimeout: 10_000 } as const;
const retryMs = 1_000;
/** How long a link that is stopped waits for a broker that does not respond. */
const endMs = 1_000;
const warnEveryMs = 30_000;
const retainedMs = 10_000;

export type BrokerLink = ReturnType<ReturnType<typeof createLinks>>;

/** Returns a function that opens a link. Links of one call share the limit of warnings. */
export function createLinks({ config, log }: Pick<Context, "config" | "log">) {
  const { url, urlTls, auth } = config.mqtt;
  const warn = createRateLimitedWarning(log, warnEveryMs);

  return (what: string, filters: string[], options: IClientOptions = {}) => {
    const client = connect(url ?? "", {
      ...commonOptions,
      ...urlTls,
      reconnectPeriod: retryMs,
      reconnectOnConnackError: true,
      resubscribe: false,
      ...options,
    });
    const tried = Promise.withResolvers<void>();
    tried.promise.catch(() => undefined);
    const watchers: (() => void)[] = [];
    let isUp = false;

    function set(next: boolean) {
      const isChanged = isUp !== next;
      isUp = next;
      if (isChanged) for (const watcher of watchers) watcher();
      tried.resolve();
    }
    function fail(error: Error) {
      warn({ err: error, link: what }, "the outside broker is away, or refuses");
      // A broker that asks this product may refuse its gateways while the product or its database is away.
      if (isFault(error, auth?.by === "http"))
        tried.reject(new ConfigError(`MQTT_URL can't be used: ${error.message}`, { cause: error }));
    }
    client.on("error", fail);
    client.on("close", () => set(false));
    client.on("connect", () => {
      client.subscribeAsync(filters, { qos: 1 }).then(
        () => set(true),
        (error: Error) => {
          fail(error);
          client.stream.destroy();
        },
      );
    });

    return {
      client,
      /** Whether it is connected and subscribed. */
      isUp: () => isUp,
      /** Resolves after the first attempt; rejects if it failed for a reason that does not pass. */
      tried: tried.promise,
      /** Calls `watcher` when the link goes up or down. */
      watch: (watcher: () => void) => void watchers.push(watcher),
      async stop() {
        await Promise.race([client.endAsync(!client.connected), delay(endMs, undefined, { ref: false })]);
        client.stream.destroy();
      },
    };
  };
}

/** Publishes through a link. Publications wait for a broker that is away, until `limitWait`. */
export function createPublisher(findLink: () => BrokerLink | null) {
  const pending = new Set<(reason: Error) => void>();
  let limitMs: number | null = null;
  let isAbandoned = false;

  function abandon() {
    isAbandoned = true;
    for (const reject of pending) reject(new Error("the outside broker is away"));
  }
  const limit = (reject: (reason: Error) => void, ms: number) =>
    void setTimeout(() => void (pending.has(reject) && abandon()), ms).unref();

  return {
    async publish(...[topic, payload, delivery]: Parameters<Broker["publish"]>): Promise<void> {
      const client = findLink()?.client;
      if (isAbandoned || !client) throw new Error("the outside broker is away");
      const { qos, retain = false } = delivery;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      pending.add(reject);
      if (limitMs !== null) limit(reject, limitMs);
      const options = { qos, retain, properties: toMqttProperties(delivery) };
      client.publish(topic, Buffer.from(payload), options, (error) => (error ? reject(error) : resolve()));
      await promise.finally(() => pending.delete(reject));
    },
    /** From now on, a publication that gets no response within this time fails, and all others with it. */
    limitWait(ms: number) {
      limitMs = ms;
      for (const reject of pending) limit(reject, ms);
    },
  };
}

/** CONNACK reason codes of refusals that a retry does not change: version, client id, login, ban, authentication method. */
const lastingRefusals = new Set<unknown>([0x84, 0x85, 0x86, 0x87, 0x8a, 0x8c]);

/** Whether the configuration must change, instead of a broker that is away or busy. */
function isFault(error: Error, mayRefuseForNow: boolean): boolean {
  const code = "code" in error ? error.code : null;
  if (lastingRefusals.has(code)) return !mayRefuseForNow;
  return typeof code === "string" && /^(ERR_(SSL|TLS)_|EPROTO$)|CERT|UNABLE_TO_|INVALID_|MISMATCH/.test(code);
}

/** A client that does not reconnect. */
function connectOnce({ config, log }: Context, clientId: string): MqttClient {
  const { url, urlTls } = config.mqtt;
  const client = connect(url ?? "", { ...commonOptions, ...urlTls, clientId, reconnectPeriod: 0 });
  client.on("error", (error) => log.warn({ err: error, clientId }, "the outside broker is away, or refuses"));
  return client;
}

/** Any MQTT 5 broker ends the session of a client when another one connects with the same client id (3.1.4). */
export async function takeOver(ctx: Context, clientId: string): Promise<void> {
  const other = connectOnce(ctx, clientId);
  try {
    await new Promise<void>((resolve, reject) => {
      other.once("connect", () => resolve());
      other.once("error", reject);
      other.once("close", () => reject(new Error("no connection to the broker")));
    });
  } finally {
    await other.endAsync();
  }
}

/** Reads the states of devices that the broker retains, because shared subscriptions get no retained messages. */
export function createRetainedReader(
  ctx: Context,
  clientId: string,
  onState: (topic: string, payload: Buffer) => void,
) {
  let reader: MqttClient | null = null;
  return {
    read() {
      void reader?.endAsync(true);
      const one = connectOnce(ctx, clientId);
      reader = one;
      one.on("connect", () => one.subscribe(`${topicRoot}/+/up/state`, { qos: 0 }, () => undefined));
      one.on("message", (topic, payload, { retain }) => {
        if (retain && payload.length > 0) onState(topic, payload);
      });
      setTimeout(() => {
        if (reader === one) reader = null;
        void one.endAsync(true);
      }, retainedMs).unref();
    },
    stop: () => reader?.endAsync(true),
  };
}
