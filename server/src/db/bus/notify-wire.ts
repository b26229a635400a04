// Carries payloads between processes by NOTIFY of their database, over a connection of its own.
import type pg from "pg";
import { connect } from "../connection/connect.ts";
import { dropConnection } from "../connection/pool-client.ts";
import type { OpenWire } from "./bus-bridge.ts";

const channel = "psp_bus";
const reconnectMs = 1_000;
/** A host that is cut off from the network ends no connection, so the wire asks whether it still answers. */
const defaultChecks = { everyMs: 3_000, withinMs: 5_000 };

export function openNotifyWire(url: string, checks = defaultChecks): OpenWire {
  return async ({ onPayload, onReturn }) => {
    let client: pg.Client | null = null;
    let stopped = false;

    /** Rejects, and drops the connection, if there is no response in time. */
    async function ask(asked: pg.Client, text: string) {
      try {
        await asked.query({ text, query_timeout: checks.withinMs } as pg.QueryConfig);
      } catch (error) {
        dropConnection(asked);
        throw error;
      }
    }
    async function listen() {
      const next = await connect(url, { application_name: "ps-platform bus" });
      next.on("notification", ({ payload }) => onPayload(payload ?? "null"));
      await ask(next, `listen ${channel}`);
      next.on("end", reconnect);
      client = next;
    }
    function reconnect() {
      client = null;
      if (!stopped) setTimeout(() => void listen().then(onReturn, reconnect), reconnectMs).unref();
    }
    await listen();
    let isAsking = false;
    async function check(asked: pg.Client) {
      isAsking = true;
      await ask(asked, "select").catch(() => undefined);
      isAsking = false;
    }
    const checking = setInterval(() => void (client && !isAsking && check(client)), checks.everyMs).unref();

    return {
      async publish(payload) {
        if (!client) throw new Error("There is no connection");
        await client.query("select pg_notify($1, $2)", [channel, payload]);
      },
      async stop() {
        stopped = true;
        clearInterval(checking);
        await client?.end();
      },
    };
  };
}
