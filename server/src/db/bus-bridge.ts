// Carries bus events between processes that share a database (docs/rules/start-and-configuration.md#parts).
import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Logger } from "pino";
import type { Bus, BusEvent } from "../kit/bus.ts";

const channel = "psp_bus";
/** NOTIFY refuses payloads of 8,000 bytes and more. */
const maxPayload = 7_500;

/** Returns a bus whose events reach all processes. `onGap` runs when some events may have been missed. */
export async function bridgeBus(
  local: Bus,
  url: string,
  log: Logger,
  onGap: () => void,
): Promise<Bus & { stop(): Promise<void> }> {
  const origin = randomUUID();
  let client: pg.Client | null = null;
  let stopped = false;
  /** Whether events were lost. The loss is reported after the next connect. */
  let lost = false;
  let queue: Promise<void> = Promise.resolve();
  /** Events of one turn of the event loop, sent together because a batch publishes thousands at once. */
  let gathered: string[] = [];

  async function connect() {
    const next = new pg.Client({ connectionString: url, application_name: "ps-platform bus" });
    next.on("error", () => void next.end().catch(() => undefined));
    next.on("end", () => {
      client = null;
      if (!stopped) setTimeout(() => void connect().then(makeGood, () => undefined), 1000).unref();
    });
    next.on("notification", ({ payload }) => {
      const message = JSON.parse(payload ?? "null") as { origin: string; items?: BusEvent[] } | null;
      if (!message || message.origin === origin) return;
      if (!message.items) return onGap();
      for (const item of message.items) local.emit(item);
    });
    await next.connect();
    await next.query(`listen ${channel}`);
    client = next;
  }
  function makeGood() {
    onGap();
    if (lost) flush();
  }
  await connect();

  function flush() {
    const items = packed(gathered);
    gathered = [];
    if (lost) items.unshift("");
    lost = false;
    for (const part of items) queue = queue.then(() => notify(part)).catch(noteLoss);
  }

  /** An empty `part` tells the other processes that events were lost. */
  async function notify(part: string) {
    if (!client) throw new Error("There is no connection");
    const notification = part === "" ? "" : `,"items":[${part}]`;
    await client.query("select pg_notify($1, $2)", [channel, `{"origin":"${origin}"${notification}}`]);
  }

  function noteLoss(error: unknown) {
    lost = true;
    if (!stopped) log.warn({ err: error }, "events did not reach the other processes");
  }

  return {
    on: local.on,
    emit(item) {
      local.emit(item);
      if (gathered.length === 0) queueMicrotask(flush);
      gathered.push(...fitting(item).map((part) => JSON.stringify(part)));
    },
    async stop() {
      stopped = true;
      flush();
      await queue;
      await client?.end();
    },
  };
}

/** Combines events in order, as many per notification as fit. */
function packed(texts: readonly string[]): string[] {
  const parts: string[] = [];
  let open = "";
  for (const text of texts) {
    if (open !== "" && open.length + text.length < maxPayload) open += `,${text}`;
    else {
      if (open !== "") parts.push(open);
      open = text;
    }
  }
  return open === "" ? parts : [...parts, open];
}

/** Splits events with long id lists to fit into one notification. */
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
