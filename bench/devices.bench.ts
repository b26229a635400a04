// Measures stored records and connections of devices per second, against a bare upsert and a bare broker.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { downFilter, upTopic } from "@psp/contract/device/device-topics.ts";
import { ackSchema } from "@psp/contract/device/device-messages.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import pg from "pg";
import { enrolSensor } from "./enrol.ts";
import { measureAlternately, type BenchRow } from "./load.ts";
import { createProduct, freePort, type Product, signIn } from "./product.ts";

export type Device = { wire: string; id: string; password: string };
const batchSize = 200;
const firstStart = Date.UTC(2026, 0, 1);

export async function enrolMany(product: Pick<Product, "url">, n: number): Promise<Device[]> {
  const api = await signIn(product.url);
  const me = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const { token } = await api.call<{ token: string }>("POST", "/api/init_token", { name: "bench", owner: me._id });
  const devices: Device[] = [];
  while (devices.length < n) {
    const id = toMac(0x0200_0000_1000 + devices.length);
    const { mqtt } = await enrolSensor(product.url, token, id);
    devices.push({ id, wire: mqtt.username, password: mqtt.password });
  }
  return devices;
}

export const optionsOf = ({ wire, password }: Device): IClientOptions => ({
  protocolVersion: 5,
  clientId: wire,
  username: wire,
  password,
  clean: true,
  reconnectPeriod: 0,
});

/** Measures records per second while many sensors back-fill over MQTT, against a bare upsert of the same rows. */
export async function benchIngest(rounds: number, tell: (row: BenchRow) => void): Promise<void> {
  const product = await createProduct();
  await product.start();
  const devices = await enrolMany(product, 50);
  const perDevice = 6000;
  let run = 0;
  const bare = new pg.Client({ connectionString: await product.databaseUrl() });
  await bare.connect();
  await bare.query(
    "create table bench_day (sensor int, line int2, day date, people_in int8, people_out int8, seconds int8, primary key (sensor, line, day))",
  );
  await bare.query(
    "create table bench_count (sensor int, line int2, start_at timestamptz, seconds int4, people_in int4, people_out int4, osd int2, quality int2, primary key (sensor, line, start_at))",
  );

  const ours = async () => {
    run += 1;
    const epoch = `bench${run}`;
    const base = firstStart + run * perDevice * 300_000;
    const clients = await Promise.all(
      devices.map((device) => connectAsync(`mqtt://127.0.0.1:${product.mqttPort}`, optionsOf(device))),
    );
    const from = performance.now();
    await Promise.all(
      clients.map((client, index) => sendAll(client, devices[index] as Device, epoch, base, perDevice)),
    );
    const rate = (devices.length * perDevice) / ((performance.now() - from) / 1000);
    await Promise.all(clients.map((client) => client.endAsync()));
    return rate;
  };
  const baseline = async () => {
    const from = performance.now();
    const chunk = 500;
    for (let n = 0; n < devices.length * perDevice; n += chunk) {
      const starts = Array.from({ length: chunk }, (_, offset) =>
        new Date(firstStart + (run * 1_000_000 + n + offset) * 300_000).toISOString(),
      );
      // The same statements as the server: rows and daily sums in one transaction.
      await bare.query("begin");
      await bare.query(
        `insert into bench_count select 1, 1, s::timestamptz, 300, 5, 4, 0, 0 from unnest($1::text[]) s
         on conflict (sensor, line, start_at) do update set people_in = excluded.people_in, people_out = excluded.people_out`,
        [starts],
      );
      await bare.query(
        `insert into bench_day as d select 1, 1, (s::timestamptz at time zone 'UTC')::date, sum(5), sum(4), sum(300) from unnest($1::text[]) s group by 3
         on conflict (sensor, line, day) do update set people_in = d.people_in + excluded.people_in,
           people_out = d.people_out + excluded.people_out, seconds = d.seconds + excluded.seconds`,
        [starts],
      );
      await bare.query("commit");
    }
    return (devices.length * perDevice) / ((performance.now() - from) / 1000);
  };
  tell({
    call: "ingest, MQTT to storage acknowledgement",
    ...(await measureAlternately(rounds, ours, baseline)),
    unit: "records/s",
    goal: 0.5,
  });
  await bare.end();
  await product.end();
}

/** Resolves once all `n` records are acknowledged. `base`: start of the first one. `peopleAt`: of a record by its start. */
export function sendAll(
  client: MqttClient,
  device: Device,
  epoch: string,
  base: number,
  n: number,
  peopleAt: (startMs: number) => { in: number; out: number } = () => ({ in: 5, out: 4 }),
): Promise<void> {
  return new Promise((resolve, reject) => {
    client.on("error", reject);
    client.on("message", (_topic, payload) => {
      const ack = ackSchema.safeParse(JSON.parse(payload.toString()));
      if (ack.success && ack.data.ep === epoch && ack.data.upTo >= n) resolve();
    });
    const send = async () => {
      await client.subscribeAsync(downFilter(device.id), { qos: 1 });
      const birth = { online: true, sid: epoch, n: 1, ep: epoch, seq: { first: 1, next: n + 1 } };
      await client.publishAsync(upTopic(device.id, "state"), JSON.stringify(birth), { qos: 1, retain: true });
      const batches: Promise<unknown>[] = [];
      for (let q = 1; q <= n; q += batchSize) {
        const recs = Array.from({ length: batchSize }, (_, offset) => {
          const s = base + (q + offset) * 300_000;
          return {
            q: q + offset,
            t: "count",
            s,
            e: s + 300_000,
            ck: "ok",
            osd: 0,
            lines: [{ id: "l1", ...peopleAt(s) }],
          };
        });
        batches.push(
          client.publishAsync(upTopic(device.id, "fill"), JSON.stringify({ v: 1, ep: epoch, recs }), { qos: 1 }),
        );
      }
      await Promise.all(batches);
    };
    send().catch(reject);
  });
}

const warmUpRounds = 4;

/** Measures sensor connections per second, each with a subscription, against a bare broker. */
export async function benchConnections(rounds: number, tell: (row: BenchRow) => void): Promise<void> {
  const product = await createProduct();
  await product.start();
  const devices = await enrolMany(product, 400);
  const port = await freePort();
  const broker = spawn(process.execPath, [join(import.meta.dirname, "baselines/bare-broker.ts"), String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(broker.stdout, "data");
  const connectAll = async (mqttPort: number) => {
    const from = performance.now();
    const clients: MqttClient[] = [];
    for (let start = 0; start < devices.length; start += 100) {
      clients.push(
        ...(await Promise.all(
          devices.slice(start, start + 100).map(async (device) => {
            const client = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`, optionsOf(device));
            await client.subscribeAsync(downFilter(device.id), { qos: 1 });
            return client;
          }),
        )),
      );
    }
    const rate = devices.length / ((performance.now() - from) / 1000);
    await Promise.all(clients.map((client) => client.endAsync(true)));
    return rate;
  };
  const measure = (times: number) =>
    measureAlternately(
      times,
      () => connectAll(product.mqttPort),
      () => connectAll(port),
    );
  // Both sides compile their code during the first thousand connections.
  await measure(warmUpRounds);
  tell({ call: "connections of sensors", ...(await measure(rounds * 2)), unit: "conn/s", goal: 0.9 });
  broker.kill();
  await product.end();
}
