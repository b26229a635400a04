// Reports the process and its database pool in /metrics.
import { createRequire } from "node:module";
import { Gauge } from "prom-client";
import type { Context } from "../context.ts";
import { poolState } from "../db/database.ts";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

export function registerProcessMetrics({ config, db, metrics }: Context): void {
  metrics.process.set({ process: config.instanceName, version, parts: [...config.parts].join() }, 1);
  new Gauge({
    name: "psp_database_connections",
    help: "Connections of the pool that are busy or idle, statements that wait for one, and the limit",
    labelNames: ["state"],
    registers: [metrics.registry],
    collect() {
      const state = poolState(db);
      this.set({ state: "busy" }, state.open - state.idle);
      this.set({ state: "idle" }, state.idle);
      this.set({ state: "waiting" }, state.waiting);
      this.set({ state: "limit" }, state.most);
    },
  });
}
