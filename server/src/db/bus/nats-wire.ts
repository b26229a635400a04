// Carries payloads between processes through NATS (BUS_URL).
import { hkdfSync } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionOptions, NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import type { OpenWire } from "./bus-bridge.ts";

const reconnectWaitMs = 1_000;
/** A server that is cut off is noticed after `pingMs` or twice as long. */
const defaultWaits = { pingMs: 5_000, refusedMs: 10_000 };

/** `servers`: URLs of one cluster. `secret` separates installations that share it. The server need not be there at the start. */
export function openNatsWire(servers: readonly URL[], secret: string, log: Logger, waits = defaultWaits): OpenWire {
  const subject = `psp.bus.${Buffer.from(hkdfSync("sha256", secret, "", "psp bus subject v1", 12)).toString("hex")}`;
  return async ({ onPayload, onReturn }) => {
    const { connect } = await import("@nats-io/transport-node");
    let connection: NatsConnection | null = null;
    let opening = connect(optionsOf(servers, waits.pingMs));
    let stopped = false;

    async function follow(opened: NatsConnection): Promise<void> {
      connection = opened;
      opened.subscribe(subject, { callback: (_error, message) => onPayload(message.string()) });
      onReturn();
      for await (const { type } of opened.status()) {
        if (type === "disconnect") log.warn("the bus is not reachable");
        if (type === "reconnect") onReturn();
      }
      // The client gives up when the server refuses its login twice.
      const error = await opened.closed();
      if (error) throw error;
    }

    async function keepOpen(): Promise<void> {
      while (!stopped) {
        try {
          await follow(await opening);
        } catch (error) {
          log.error({ err: error }, "the bus refuses this process");
        }
        connection = null;
        if (stopped) return;
        await delay(waits.refusedMs, undefined, { ref: false });
        if (stopped) return;
        opening = connect(optionsOf(servers, waits.pingMs));
      }
    }
    void keepOpen();

    return {
      async publish(payload) {
        if (!connection || connection.isClosed()) throw new Error("There is no connection");
        connection.publish(subject, payload);
        await connection.flush();
      },
      async stop() {
        stopped = true;
        if (connection) await connection.close();
        else void opening.then((late) => late.close()).catch(() => undefined);
      },
    };
  };
}

function optionsOf(servers: readonly URL[], pingInterval: number): ConnectionOptions {
  const [first] = servers;
  const login = servers.find(({ username }) => username !== "");
  return {
    servers: servers.map(({ host }) => host),
    name: "ps-platform",
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectWaitMs,
    waitOnFirstConnect: true,
    pingInterval,
    maxPingOut: 1,
    ...(login ? { user: decodeURIComponent(login.username), pass: decodeURIComponent(login.password) } : {}),
    ...(first?.protocol === "tls:" ? { tls: {} } : {}),
  };
}
