// Reads the state of a rollout while the server is being killed, retrying until it responds.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { withDatabase } from "../database.ts";
import { type Api, type Product, signIn } from "../product.ts";
import type { UnansweredOrder } from "./rollout-model.ts";

const hourMs = 3_600_000;
/** Longer than any task: those of REST sensors expire after 49 hours. */
const allTimeMs = 49 * hourMs + 60_000;
/** A sensor finishes an update order within this time, so an older order without response was lost. */
const quietMs = 120_000;

export const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const printLine = (text: string) => void process.stdout.write(`${text}\n`);

export async function retryUntilResponse<T>(product: Product, work: (api: Api) => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work(await ensureSignedIn(product));
    } catch (error) {
      if (tries > 200) throw error;
      await wait(200);
    }
  }
}

let session: Api | null = null;
export async function ensureSignedIn(product: Product): Promise<Api> {
  session ??= await signIn(product.url);
  return session;
}

export async function fetchAllSensors(product: Product): Promise<Map<string, Sensor>> {
  const found = new Map<string, Sensor>();
  let after = "";
  for (;;) {
    const query = `limit=500${after === "" ? "" : `&after=${encodeURIComponent(after)}`}`;
    const page = await retryUntilResponse(product, (api) =>
      api.call<{ objects: Sensor[] }>("GET", `/api/v2/sensor?${query}`),
    );
    for (const sensor of page.objects) found.set(sensor._id, sensor);
    after = page.objects.at(-1)?._id ?? "";
    if (page.objects.length < 500) return found;
  }
}

async function findUnanswered(product: Product): Promise<Map<string, UnansweredOrder>> {
  const { rows } = await withDatabase(await product.databaseUrl(), (client) =>
    client.query<{ id: string; version: string; asked_at: Date }>(
      "select s.id, t.version, t.asked_at from update_task t join sensor s on s.num = t.sensor_num where t.state = 'asked'",
    ),
  );
  return new Map(rows.map((row) => [row.id, { version: row.version, at: row.asked_at.getTime() }]));
}

/** Waits until every sensor is either done or has an order that was lost; returns the orders without response. */
export async function waitUntilQuiet(product: Product, isEnd: (sensor: Sensor) => boolean) {
  let unanswered = new Map<string, UnansweredOrder>();
  await waitForAll(
    product,
    "over",
    async (all) => {
      unanswered = await findUnanswered(product);
      const lost = (id: string) => (unanswered.get(id)?.at ?? Infinity) + quietMs < Date.now();
      return all.filter((sensor) => (unanswered.has(sensor._id) ? lost(sensor._id) : isEnd(sensor))).length;
    },
    900_000,
  );
  return unanswered;
}

/** Advances the server's clock past all deadlines, including those of queued tasks. */
export async function passAllDeadlines(product: Product, isEnd: (sensor: Sensor) => boolean): Promise<void> {
  const moved = await fetch(`${product.url}/dev/clock`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ now: Date.now() + allTimeMs }),
    signal: AbortSignal.timeout(300_000),
  });
  if (!moved.ok) throw new Error(`The clock: ${moved.status} ${await moved.text()}`);
  session = null;
  await waitForAll(product, "at the end of time", async (all) => all.filter(isEnd).length, 600_000);
}

export async function waitForAll(
  product: Product,
  what: string,
  holds: (sensors: Sensor[]) => Promise<number>,
  limitMs: number,
) {
  const from = Date.now();
  for (;;) {
    const sensors = [...(await fetchAllSensors(product)).values()];
    const missing = sensors.length - (await holds(sensors));
    if (missing === 0) return Date.now() - from;
    if (Date.now() - from > limitMs) {
      printLine(`${what}: ${missing} are missing after ${limitMs / 1000} s`);
      return Date.now() - from;
    }
    await wait(Math.max(1000, sensors.length / 4));
  }
}
