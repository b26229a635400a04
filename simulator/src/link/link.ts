// One MQTT 5 connection (docs/device-protocol.md#3-the-connection). It is not reused after it breaks.
import { Socket } from "node:net";
import { connect, type IClientOptions, type IPublishPacket, type MqttClient } from "mqtt";
import { protocolLimits, upTopic } from "@psp/contract/device/device-topics.ts";
import type { Death } from "@psp/contract/device/device-messages.ts";

export type Broker = { host: string; port: number; tls: boolean };
export type Login = { id: string; username: string; clientId: string; password: string };
export type LinkEvents = {
  onUp(): void;
  /** Called once; `refused` is the reason code of a refusing CONNACK. */
  onDown(reason: string, refused: number | null): void;
  onMessage(topic: string, payload: Buffer, packet: IPublishPacket): void;
};
type Done = (failed: Error | null) => void;
type PublishOptions = { qos?: 0 | 1; retain?: boolean; expiryS?: number; correlation?: Buffer };
export type Link = ReturnType<typeof openLink>;

const leaveWithinMs = 2000;

function optionsOf(broker: Broker, login: Login, will: string): IClientOptions {
  return {
    protocol: broker.tls ? "mqtts" : "mqtt",
    host: broker.host,
    port: broker.port,
    protocolVersion: 5,
    clientId: login.clientId,
    username: login.username,
    password: login.password,
    clean: false,
    keepalive: protocolLimits.keepAliveS,
    reconnectPeriod: 0,
    connectTimeout: 30_000,
    resubscribe: false,
    timerVariant: "native",
    properties: { sessionExpiryInterval: protocolLimits.sessionExpiryS, receiveMaximum: protocolLimits.receiveMaximum },
    will: {
      topic: upTopic(login.id, "state"),
      payload: Buffer.from(will),
      qos: 1,
      retain: true,
      properties: { willDelayInterval: protocolLimits.willDelayS, contentType: "application/json" },
    },
  };
}

/** Never throws; results are reported through `events`. */
export function openLink(broker: Broker, login: Login, will: string, events: LinkEvents) {
  const client: MqttClient = connect(optionsOf(broker, login, will));
  let reason = "closed";
  let refused: number | null = null;
  let ended = false;
  const closed = Promise.withResolvers<void>();
  client.once("close", () => closed.resolve());
  const down = (): void => {
    if (ended) return;
    ended = true;
    client.end(true);
    events.onDown(reason, refused);
  };
  client.on("connect", () => {
    // Small messages alternate with responses; without TCP_NODELAY, each would be delayed by 40 ms.
    if (client.stream instanceof Socket) client.stream.setNoDelay(true);
    events.onUp();
  });
  client.on("message", (topic, payload, packet) => {
    if (!ended) events.onMessage(topic, payload, packet);
  });
  client.on("disconnect", (packet) => void (reason = `disconnected with ${packet.reasonCode ?? 0}`));
  client.on("error", (error) => {
    reason = error.message;
    if ("code" in error && typeof error.code === "number") refused = error.code;
    if (!client.connected) down();
  });
  client.on("close", down);
  return {
    /** Resolves when the connection has ended, from either side. */
    closed: closed.promise,
    publish(topic: string, payload: string | Buffer, options: PublishOptions = {}, done?: Done): void {
      const { qos = 1, retain = false, expiryS, correlation } = options;
      if (ended) return done?.(new Error("The connection is closed"));
      const properties = {
        contentType: "application/json",
        ...(expiryS === undefined ? {} : { messageExpiryInterval: expiryS }),
        ...(correlation ? { correlationData: correlation } : {}),
      };
      client.publish(topic, payload, { qos, retain, properties }, (error) => done?.(error ?? null));
    },
    subscribe(filters: string[], done: Done) {
      client.subscribe(filters, { qos: 1 }, (error) => done(error ?? null));
    },
    /** Disconnects cleanly, so that no will is sent. */
    close(done?: () => void) {
      if (ended) return done?.();
      ended = true;
      client.end(false, {}, () => done?.());
    },
    /** Drops the connection like lost network or power. */
    cut() {
      ended = true;
      client.stream.destroy();
      client.end(true);
    },
  };
}

/** Publishes the death message and disconnects; resolves when the connection has ended, or after two seconds. */
export function closeWithDeath(link: Link, sensorId: string, death: Death): Promise<void> {
  return new Promise((resolve) => {
    // A dead broker never responds, so a system timer limits the wait.
    const timer = setTimeout(() => {
      link.cut();
      resolve();
    }, leaveWithinMs);
    const left = () => {
      clearTimeout(timer);
      resolve();
    };
    // A broker that is stopping sends no more acknowledgements.
    void link.closed.then(left);
    link.publish(upTopic(sensorId, "state"), JSON.stringify(death), { retain: true }, () => link.close(left));
  });
}

export function parseJson(payload: Buffer | string): unknown {
  try {
    return JSON.parse(payload.toString());
  } catch {
    return null;
  }
}
