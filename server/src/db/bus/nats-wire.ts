// Carries payloads between processes through NATS (BUS_URL).
import { hkdfSync } from "node:crypto";
import type { ConnectionOptions, NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import type { OpenWire } from "./bus-bridge.ts";

const reconnectWaitMs = 1_000;

/** `servers`: URLs of one cluster. `secret` separates installations that share it. The server need not be there at the start. */
export function openNatsWire(servers: readonly URL[], secret: string, log: Logger): OpenWire {
  const subject = `psp.bus.${Buffer.from(hkdfSync("sha256", secret, "", "psp bus subject v1", 12)).toString("hex")}`;
  return async ({ onPayload, onReturn }) => {
    const { connect } = await import("@nats-io/transport-node");
    let connection: NatsConnection | null = null;

    async function follow(opened: NatsConnection): Promise<void> {
      connection = opened;
      opened.subscribe(subject, { callback: (_error, message) => onPayload(message.string()) });
      onReturn();
      for await (const { type } of opened.status()) {
        if (type === "disconnect") log.warn("the bus is not reachable");
        if (type === "reconnect") onReturn();
      }
    }

    const opening = connect(optionsOf(servers));
    opening.then(follow).catch((error: unknown) => log.error({ err: error }, "the bus refuses this process"));

    return {
      async publish(payload) {
        if (!connection || connection.isClosed()) throw new Error("There is no connection");
        connection.publish(subject, payload);
        await connection.flush();
      },
      async stop() {
        if (connection) await connection.close();
        else void opening.then((late) => late.close()).catch(() => undefined);
      },
    };
  };
}

function optionsOf(servers: readonly URL[]): ConnectionOptions {
  const [first] = servers;
  const login = servers.find(({ username }) => username !== "");
  return {
    servers: servers.map(({ host }) => host),
    name: "ps-platform",
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectWaitMs,
    waitOnFirstConnect: true,
    ...(login ? { user: decodeURIComponent(login.username), pass: decodeURIComponent(login.password) } : {}),
    ...(first?.protocol === "tls:" ? { tls: {} } : {}),
  };
}
