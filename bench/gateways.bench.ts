// Measures the processor time of stored records with two gateways, against one gateway.
import { connectAsync } from "mqtt";
import { startCluster } from "./cluster.ts";
import { type Device, enrolMany, optionsOf, sendAll } from "./devices.bench.ts";
import { measureAlternately, type BenchRow } from "./load.ts";
import { postmasterPid } from "./product.ts";
import { databaseSeconds, processorSeconds } from "./processor-time.ts";

const sensors = 50;
const perSensor = 6000;
const firstStart = Date.UTC(2026, 0, 1);
const intervalMs = 300_000;

/** Counts all processes of the product, and PostgreSQL. Runs on Linux only. */
export async function benchGateways(rounds: number, tell: (row: BenchRow) => void): Promise<void> {
  const cluster = await startCluster(["api,worker", "gateway", "gateway"]);
  const [api, first, second] = cluster.members;
  const postmaster = await postmasterPid(cluster.dataDir);
  if (!api || !first || !second || postmaster === null) throw new Error("The cluster has not started");
  const devices = await enrolMany(cluster, sensors);
  let run = 0;

  const measure = async (...gateways: (typeof first)[]): Promise<number> => {
    run += 1;
    const base = firstStart + run * perSensor * intervalMs;
    const ports = gateways.map(({ mqttPort }) => mqttPort);
    const clients = await Promise.all(
      devices.map((device, index) =>
        connectAsync(`mqtt://127.0.0.1:${ports[index % ports.length]}`, optionsOf(device)),
      ),
    );
    const spent = () => {
      const own = [api, ...gateways].reduce((sum, one) => sum + processorSeconds(one.pid() ?? 0), 0);
      return own + databaseSeconds(postmaster);
    };
    const before = spent();
    await Promise.all(
      clients.map((client, index) => sendAll(client, devices[index] as Device, `gateways${run}`, base, perSensor)),
    );
    const rate = (devices.length * perSensor) / (spent() - before);
    await Promise.all(clients.map((client) => client.endAsync()));
    return rate;
  };

  const measured = await measureAlternately(
    rounds,
    () => measure(first, second),
    async () => {
      await second.stop();
      const rate = await measure(first);
      await second.start();
      // Its code is compiled here, as that of the first one was in earlier rounds.
      await measure(second);
      return rate;
    },
  );
  tell({ call: "records per processor time: two gateways / one", ...measured, unit: "1/cpu s", goal: 1 / 1.15 });
  await cluster.end();
}
