// Measures monitoring. Compares the checks of a fleet in memory with a bare pass over the same facts, and one minute of checks
// for 100,000 sensors in the database with one statement that reads the same facts.
import pg from "pg";
import "../server/src/db/tables.ts";
import { monitoringDefaults } from "@psp/contract/monitoring/limits.ts";
import { dayMs, zoneOf } from "@psp/contract/kit/zone.ts";
import { evaluateFacts, type SensorFacts, readConfig } from "../server/src/monitoring/evaluate.rules.ts";
import { evaluateDueSensors } from "../server/src/monitoring/monitoring.service.ts";
import { fillDatabase } from "./dataset.ts";
import { measureAlternately, type BenchRow } from "./load.ts";
import { createProduct } from "./product.ts";
import { createContext } from "./server-context.ts";

export type MonitoringOptions = { rounds: number; sensors: number };

/** Sensors report a slice every 15 minutes, so one minute of checks covers one in 15 sensors. */
const minutesPerSlice = 15;

export async function benchMonitoring(options: MonitoringOptions, tell: (row: BenchRow) => void): Promise<void> {
  await benchChecks(options, tell);
  await benchMinute(options, tell);
}

async function benchChecks({ rounds, sensors }: MonitoringOptions, tell: (row: BenchRow) => void): Promise<void> {
  const config = readConfig(monitoringDefaults);
  if (!config) throw new Error("No configuration");
  const nowMs = Date.UTC(2027, 2, 1, 12);
  const fleet = Array.from({ length: sensors }, (_, i) => factsOf(i, nowMs));
  let kept = 0;
  const perSecond = (pass: () => number) => async () => {
    const from = process.cpuUsage();
    kept += pass();
    const { user, system } = process.cpuUsage(from);
    return 1e6 / (user + system);
  };
  const ours = perSecond(() => {
    let open = 0;
    for (const facts of fleet)
      for (const verdict of Object.values(evaluateFacts(config, facts, nowMs))) if (verdict.status !== "Ok") open += 1;
    return open;
  });
  const bare = perSecond(() => {
    let sum = 0;
    for (const { offlineSinceMs, obstruction, reboots, resets, days } of fleet) {
      sum += (offlineSinceMs ?? 0) + (obstruction?.sinceMs ?? 0) + reboots.length + resets.length;
      for (const seconds of days?.uptime.seconds.values() ?? []) sum += seconds;
      for (const total of days?.counted.totals.values() ?? []) sum += total;
    }
    return sum;
  });
  await ours();
  await bare();
  const row = await measureAlternately(rounds, ours, bare);
  if (kept === 0) throw new Error("Nothing was found");
  const name = `all checks of ${sensors.toLocaleString("en")} sensors, days too`;
  tell({ call: name, ...row, unit: "1/cpu s", goal: null });
}

/** A typical healthy sensor, with six days of uptime and three months of counts. */
function factsOf(i: number, nowMs: number): SensorFacts {
  const zone = zoneOf("Europe/Berlin");
  const today = zone.dayAt(nowMs);
  const known = { first: today - 40, last: today - 1 };
  const seconds = new Map(Array.from({ length: 6 }, (_, n) => [today - 6 + n, 86_400]));
  const totals = new Map(
    Array.from({ length: 26 }, (_, n) => [today - 1 - (n % 2) - 7 * (n >> 1), 400 + ((i * 7 + n) % 50)]),
  );
  return {
    offlineSinceMs: i % 50 === 0 ? nowMs - 3 * dayMs : null,
    obstruction: i % 70 === 0 ? { sinceMs: nowMs - dayMs, code: 1 } : null,
    reboots: i % 90 === 0 ? [{ startMs: nowMs - 3_600_000, count: 4 }] : [],
    resets: [],
    days: { zone, uptime: { known, seconds }, counted: { totals, isClosed: () => false } },
  };
}

async function benchMinute({ rounds, sensors }: MonitoringOptions, tell: (row: BenchRow) => void): Promise<void> {
  const product = await createProduct({ PARTS: "api" });
  await product.start();
  const databaseUrl = await product.databaseUrl();
  await fillDatabase(databaseUrl, sensors);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await plantFacts(client);
  const ctx = createContext(databaseUrl, 4);
  const minute = Math.round(sensors / minutesPerSlice);
  const time = async (work: () => Promise<unknown>) => {
    const from = performance.now();
    await work();
    return performance.now() - from;
  };
  const first = await time(() => evaluateDueSensors(ctx));
  process.stdout.write(`the whole fleet for the first time: ${(first / 1000).toFixed(1)} s\n`);
  let cpuMs = 0;
  let turn = 0;
  const ours = async () => {
    await client.query(
      "insert into fact_mark (sensor_num, from_ms) select num, $3::bigint from sensor where license_monitoring order by num offset $1 limit $2",
      [(turn++ * minute) % (sensors - minute), minute, Date.now()],
    );
    const from = process.cpuUsage();
    const ms = await time(() => evaluateDueSensors(ctx));
    const { user, system } = process.cpuUsage(from);
    cpuMs = (user + system) / 1000;
    return 1000 / ms;
  };
  const bare = async () =>
    1000 /
    (await time(() =>
      client.query(
        `select s.num, s.is_connected, s.monitoring_config, l.monitoring_config as inherited, h.start_ms, e.touched_at
        from (select * from sensor where license_monitoring order by num limit $1) s join location l on l.id = s.location_id
        left join lateral (select start_ms from device_record where kind = 'health' and sensor_num = s.num order by start_ms limit 1) h on true
        left join lateral (select max(touched_at) as touched_at from device_epoch where sensor_num = s.num) e on true`,
        [minute],
      ),
    ));
  await ours();
  const row = await measureAlternately(rounds, ours, bare);
  tell({ call: `a minute of ${sensors.toLocaleString("en")} monitored sensors`, ...row, unit: "1/s", goal: null });
  process.stdout.write(`its processor time in the server: ${Math.round(cpuMs)} ms\n`);
  await ctx.db.destroy();
  await client.end();
  await product.end();
}

/** Licenses all sensors, monitors them with the defaults, and inserts hourly slices of one day. */
async function plantFacts(client: pg.Client): Promise<void> {
  const hourMs = 3_600_000;
  const from = Math.floor(Date.now() / hourMs - 24) * hourMs;
  await client.query("update location set monitoring_config = $1", [JSON.stringify(monitoringDefaults)]);
  await client.query("update sensor set license_monitoring = true, is_connected = true");
  await client.query(
    `insert into device_record (kind, sensor_num, start_ms, end_ms, is_ahead, body)
    select 'health', num, $1::bigint + n * ${hourMs}, $1::bigint + (n + 1) * ${hourMs}, false,
      jsonb_build_object('ck', 'ok', 'upS', 3600, 'reboots', jsonb_build_object('power', 0), 'wd', (num + n) % 500 / 499)
    from sensor, generate_series(0, 23) n`,
    [from],
  );
  await client.query("insert into device_epoch (sensor_num, epoch, touched_at) select num, 'e', now() from sensor");
  await client.query("vacuum analyze");
}
