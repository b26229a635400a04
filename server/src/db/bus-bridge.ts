// Carries bus events between processes that share a database, so that parts can be started apart (decisions 2).
import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Logger } from "pino";
import type { Bus, BusEvent } from "../bus.ts";

const channel = "psp_bus";
/** NOTIFY refuses payloads of 8,000 bytes and more. */
const maxPayload = 7_500;

/** A bus whose events also reach the other processes, and theirs reach us. `onGap` runs when some may have been missed. */
export async function bridgeBus(
  local: Bus,
  url: string,
  log: Logger,
  onGap: () => void,
): Promise<Bus & { stop(): Promise<void> }> {
  const origin = randomUUID();
  let client: pg.Client | null = null;
  let stopped = false;
  let queue: Promise<void> = Promise.resolve();

  async function connect() {
    const next = new pg.Client({ connectionString: url, application_name: "ps-platform bus" });
    next.on("error", () => void next.end().catch(() => undefined));
    next.on("end", () => {
      client = null;
      if (!stopped) setTimeout(() => void connect().then(onGap, () => undefined), 1000).unref();
    });
    next.on("notification", ({ payload }) => {
      const message = JSON.parse(payload ?? "null") as { origin: string; item: BusEvent } | null;
      if (message && message.origin !== origin) local.emit(message.item);
    });
    await next.connect();
    await next.query(`listen ${channel}`);
    client = next;
  }
  await connect();

  return {
    on: local.on,
    emit(item) {
      local.emit(item);
      for (const part of fitting(item)) {
        queue = queue
          .then(
            async () =>
              void (await client?.query("select pg_notify($1, $2)", [channel, JSON.stringify({ origin, item: part })])),
          )
          .catch((error: unknown) => log.warn({ err: error }, "an event did not reach the other processes"));
      }
    },
    async stop() {
      stopped = true;
      await queue;
      await client?.end();
    },
  };
}

/** Splits events with long id lists so that each fits into one notification. */
function fitting(item: BusEvent): BusEvent[] {
  if (JSON.stringify(item).length <= maxPayload) return [item];
  const list = Object.entries(item.event).find(([, value]) => Array.isArray(value) && value.length > 1);
  if (!list) return [];
  const [key, ids] = list as [string, unknown[]];
  const half = Math.ceil(ids.length / 2);
  return [ids.slice(0, half), ids.slice(half)].flatMap((part) =>
    fitting({ ...item, event: { ...item.event, [key]: part } } as BusEvent),
  );
}
