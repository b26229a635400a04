// Measures what sensors cost, and prints the sizes of installations of 100 to 1,000,000 sensors, as in docs/operations.md.
// `--sensors 200 --days 60`. Linux only.
import { parseArgs } from "node:util";
import { downFilter, upTopic } from "@psp/contract/device/device-topics.ts";
import { ackSchema } from "@psp/contract/device/device-messages.ts";
import { connectAsync, type MqttClient } from "mqtt";
import pg from "pg";
import { packOldMonths } from "../../server/src/count/pack.store.ts";
import { startCluster } from "../cluster.ts";
import { type Device, enrolMany, optionsOf, sendAll } from "../devices.bench.ts";
import { databaseSeconds, processorSeconds } from "../processor-time.ts";
import { postmasterPid } from "../product.ts";
import { createContext } from "../server-context.ts";

const { values: flags } = parseArgs({
  options: { sensors: { type: "string", default: "200" }, days: { type: "string", default: "60" } },
});
const intervalMs = 300_000;
const perDay = 86_400_000 / intervalMs;
const liveRecords = 60;
const fleets = [100, 1_000, 10_000, 100_000, 1_000_000];
/** Processor use that leaves room for peaks. */
const most = 0.5;
/** KiB of an idle sensor at its gateway, as `idle-sensors` measures it. */
const sensorKib = 20;
const tell = (text: string) => void process.stdout.write(`${text}\n`);

/** A shop that is open for twelve hours, so that packed counts are as large as real ones. */
function peopleAt(startMs: number): { in: number; out: number } {
  const hour = (startMs / 3_600_000) % 24;
  const mean = 12 * Math.max(0, Math.sin(((hour - 8) / 12) * Math.PI));
  const some = () => Math.round(mean * 2 * Math.random());
  return { in: some(), out: some() };
}

/** Sends the records one by one, each once the one before is acknowledged. `end`: of the first one. */
async function sendLive(client: MqttClient, { id }: Device, end: number): Promise<void> {
  let next = 1;
  let done: () => void = () => undefined;
  client.on("message", (_topic, payload) => {
    const ack = ackSchema.safeParse(JSON.parse(payload.toString()));
    if (ack.success && ack.data.ep === "live" && ack.data.upTo >= next) done();
  });
  await client.subscribeAsync(downFilter(id), { qos: 1 });
  const birth = { online: true, sid: "live", n: 1, ep: "live", seq: { first: 1, next: liveRecords + 1 } };
  await client.publishAsync(upTopic(id, "state"), JSON.stringify(birth), { qos: 1, retain: true });
  for (; next <= liveRecords; next += 1) {
    const e = end + next * intervalMs;
    const record = {
      q: next,
      t: "count",
      s: e - intervalMs,
      e,
      ck: "ok",
      osd: 0,
      lines: [{ id: "l1", in: 5, out: 4 }],
    };
    const acknowledged = new Promise<void>((resolve) => (done = resolve));
    const body = JSON.stringify({ v: 1, ep: "live", sent: Date.now(), recs: [record] });
    await client.publishAsync(upTopic(id, "data"), body, { qos: 1 });
    await acknowledged;
  }
}

async function main(): Promise<void> {
  const cluster = await startCluster(["api,worker", "gateway"]);
  const [api, gateway] = cluster.members;
  const postmaster = await postmasterPid(cluster.dataDir);
  if (!api || !gateway || postmaster === null) throw new Error("The cluster has not started");
  const database = new pg.Client({ connectionString: cluster.databaseUrl });
  await database.connect();
  const number = async (text: string) => Number((await database.query<{ n: string }>(text)).rows[0]?.n);
  const devices = await enrolMany(cluster, Number(flags.sensors));
  const connect = () =>
    Promise.all(devices.map((one) => connectAsync(`mqtt://127.0.0.1:${cluster.mqttPort}`, optionsOf(one))));
  const spent = () => ({
    gateway: processorSeconds(gateway.pid() ?? 0),
    others: processorSeconds(api.pid() ?? 0),
    database: databaseSeconds(postmaster),
  });

  const live = await connect();
  const before = spent();
  const lastDay = Math.floor(Date.now() / 86_400_000) * 86_400_000;
  await Promise.all(
    live.map((client, index) => sendLive(client, devices[index] as Device, lastDay - liveRecords * intervalMs)),
  );
  const after = spent();
  const records = devices.length * liveRecords;
  const ms = {
    gateway: ((after.gateway - before.gateway) / records) * 1000,
    others: ((after.others - before.others) / records) * 1000,
    database: ((after.database - before.database) / records) * 1000,
  };
  await Promise.all(live.map((client) => client.endAsync()));
  tell(
    `processor time of a record that is sent alone: gateway ${ms.gateway.toFixed(2)} ms, other parts ${ms.others.toFixed(2)} ms, ` +
      `database ${ms.database.toFixed(2)} ms`,
  );

  const days = Number(flags.days);
  const past = await connect();
  const n = days * perDay;
  const from = lastDay - (days + 10) * 86_400_000;
  await Promise.all(
    past.slice(0, 20).map((client, index) => sendAll(client, devices[index] as Device, "past", from, n, peopleAt)),
  );
  await Promise.all(past.map((client) => client.endAsync()));
  await database.query("vacuum full count_hot");
  const sizeOf = (table: string) =>
    number(`select sum(pg_total_relation_size(part)) as n from pg_partition_tree('${table}') tree (part)`);
  const hot = (await sizeOf("count_hot")) / (await number("select count(*) as n from count_hot"));
  const packed = await packAll(cluster.databaseUrl);
  await database.query("vacuum full count_pack");
  const pack = (await sizeOf("count_pack")) / packed;
  const sums =
    (await number("select pg_total_relation_size('count_day') as n")) /
    (await number("select count(*) as n from count_day"));
  tell(
    `bytes of a count: ${hot.toFixed(0)}, ${pack.toFixed(1)} once its month is packed; of a sensor's sums of a day: ${sums.toFixed(0)}`,
  );

  for (const sensors of fleets) {
    const rate = sensors / (intervalMs / 1000);
    const cores = (each: number) => (rate * each) / 1000 / most;
    // The current month and the one before are not packed.
    const hotGb = (sensors * perDay * 36 * hot) / 1e9;
    const yearGb = (sensors * (perDay * pack + sums) * 365) / 1e9;
    tell(
      `${sensors.toLocaleString("en")} sensors: ${rate.toFixed(1)} records/s, cores of gateways ${cores(ms.gateway).toFixed(2)}, ` +
        `of the database ${cores(ms.database + ms.others).toFixed(2)}, memory of sensors ${((sensors * sensorKib) / 1024).toFixed(0)} MiB, ` +
        `disk ${hotGb.toFixed(2)} GB and ${yearGb.toFixed(2)} GB a year`,
    );
  }
  await database.end();
  await cluster.end();
}

async function packAll(url: string): Promise<number> {
  const { db } = createContext(url, 2);
  try {
    return await packOldMonths(db, Date.now());
  } finally {
    await db.destroy();
  }
}

await main();
