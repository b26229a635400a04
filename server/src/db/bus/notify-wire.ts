// Carries payloads between processes by NOTIFY of their database, over a connection of its own.
import pg from "pg";
import type { OpenWire } from "./bus-bridge.ts";

const channel = "psp_bus";
const reconnectMs = 1_000;

export function openNotifyWire(url: string): OpenWire {
  return async ({ onPayload, onReturn }) => {
    let client: pg.Client | null = null;
    let stopped = false;

    async function connect() {
      const next = new pg.Client({ connectionString: url, application_name: "ps-platform bus" });
      next.on("error", () => void next.end().catch(() => undefined));
      next.on("end", () => {
        client = null;
        if (!stopped) setTimeout(() => void connect().then(onReturn, () => undefined), reconnectMs).unref();
      });
      next.on("notification", ({ payload }) => onPayload(payload ?? "null"));
      await next.connect();
      await next.query(`listen ${channel}`);
      client = next;
    }
    await connect();

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
