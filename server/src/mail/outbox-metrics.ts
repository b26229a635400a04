// Reports the outbox in /metrics. Read from the database, because all processes write it.
import { Gauge } from "prom-client";
import type { Context } from "../context.ts";
import { createSingleFlight } from "../kit/limits/single-flight.ts";
import { findOutboxState, type OutboxState } from "./mail.store.ts";

/** docs/rules/start-and-configuration.md#metrics */
const lateAfterMs = 5 * 60_000;

export function registerOutboxMetrics(ctx: Context): void {
  const reads = createSingleFlight<OutboxState | null>();
  const read = () =>
    reads("outbox", () => {
      const now = ctx.clock.now();
      return findOutboxState(ctx.db, new Date(now), new Date(now - lateAfterMs)).catch(() => null);
    });
  const gauge = (name: string, help: string, figure: keyof OutboxState) =>
    new Gauge({
      name,
      help,
      registers: [ctx.metrics.registry],
      async collect() {
        const state = await read();
        // Keeps the last value while the database is unavailable.
        if (state !== null) this.set(state[figure]);
      },
    });
  gauge("psp_mails_waiting", "Mails that are neither sent nor given up", "waiting");
  gauge("psp_mails_oldest_seconds", "Age of the oldest mail that is neither sent nor given up", "oldestS");
  gauge("psp_mails_late", "Mails that are neither sent nor given up 5 minutes after they were queued", "late");
}
