// Carries payloads between processes by NOTIFY of their database, over a connection of its own.
import type pg from "pg";
import { connect } from "../connection/connect.ts";
import type { OpenWire } from "./bus-bridge.ts";

const channel = "psp_bus";
const reconnectMs = 1_000;

export function openNotifyWire(url: string): OpenWire {
  return async ({ onPayload, onReturn }) => {
    let client: pg.Client | null = null;
    let stopped = false;

    async function listen() {
      const next = await connect(url, { application_name: "ps-platform bus" });
      next.on("notification", ({ payload }) => onPayload(payload ?? "null"));
      await next.query(`listen ${channel}`);
      next.on("end", reconnect);
      client = next;
    }
    function reconnect() {
      client = null;
      if (!stopped) setTimeout(() => void listen().then(onReturn, reconnect), reconnectMs).unref();
    }
    await listen();

    return {
      async publish(payload) {
        if (!client) throw new Error("There is no connection");
        await client.query("select pg_notify($1, $2)", [channel, payload]);
      },
      async stop() {
        stopped = true;
        await client?.end();
      },
    };
  };
}
