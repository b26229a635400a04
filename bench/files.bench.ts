// Measures a file over 400 locations by hour: the time to its first byte, its rate against the plain SQL statement written as CSV,
// how much it slows down other calls, and the memory of a full workbook.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import "../server/src/db/tables.ts";
import { dayMs, zoneOf } from "@psp/contract/kit/zone.ts";
import { utcMonth, utcMonthStart } from "../server/src/count/month.rules.ts";
import { pack } from "../server/src/count/pack.rules.ts";
import { countAt, stepMs } from "./counts.bench.ts";
import { fillDatabase } from "./dataset.ts";
import { type BenchRow, fetchBody, measureAlternately, median } from "./load.ts";
import { createProduct } from "./product.ts";
import { makePartitions } from "./server-context.ts";

const zone = "Europe/Berlin";
const locations = 400;
/** A file of these days has nearly as many rows as fit into a workbook. */
const workbookDays = 109;
const firstByteMs = 300;
const mostSlowdown = 1.5;
const recentDays = 8;

export async function benchFiles(rounds: number, tell: (row: BenchRow) => void): Promise<void> {
  const product = await createProduct({ PARTS: "api" });
  await product.start();
  const databaseUrl = await product.databaseUrl();
  await makePartitions(databaseUrl);
  const viewer = (await fillDatabase(databaseUrl, 1_000)).find(({ name }) => name === "root");
  if (!viewer) throw new Error("No viewer");
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await plantLocations(client);
  await plantLastMonths(client);
  await plantRecentDays(client);
  await client.query("vacuum analyze");
  const headers = { authorization: `Bearer ${viewer.token}` };
  const fileUrl = (query: string) => `${product.url}/data/v2/counts/file?tag=bench&by=hour&${query}`;
  const [first, last] = lastMonthDays();
  const today = zoneOf(zone).dayAt(Date.now());
  const cases = [
    { call: `${locations} locations, last month by hour as CSV`, days: [first, last] as const },
    { call: "… the last seven days, not packed yet", days: [today - 7, today - 1] as const },
  ];
  const begun: number[] = [];
  for (const { call, days } of cases) {
    const url = fileUrl(`range=${days.map(dateOf).join(",")}`);
    const rows = locations * (days[1] - days[0] + 1) * 24;
    const ours = async () => {
      const { ms, toFirstByte } = await download(url, headers);
      begun.push(toFirstByte);
      return rows / (ms / 1000);
    };
    await ours();
    begun.length = 0;
    tell({
      call,
      ...(await measureAlternately(rounds, ours, () => bareCsv(client, days))),
      unit: "rows/s",
      goal: 0.5,
    });
    tell({ call: "… first byte: allowed / needed", ours: firstByteMs, baseline: median(begun), unit: "ms", goal: 1 });
  }
  await tellSlowdown(product.url, headers, fileUrl(`range=${dateOf(first)},${dateOf(last)}`), { rounds, tell });
  await tellMemory(
    fileUrl(`format=xlsx&range=${dateOf(last - workbookDays + 1)},${dateOf(last)}`),
    headers,
    product.pid(),
  );
  await client.end();
  await product.end();
}

const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

function lastMonthDays(): [number, number] {
  const month = utcMonth(Date.now()) - 1;
  return [utcMonthStart(month) / dayMs, utcMonthStart(month + 1) / dayMs - 1];
}

async function plantLocations(client: pg.Client): Promise<void> {
  await client.query(
    `insert into location (id, owner_id, owner_path, name, timezone, tags)
    select ('00000000-0000-7000-e000-' || lpad(n::text, 12, '0'))::uuid, a.id, a.path, 'Shop ' || n, $1, '{bench}'
    from generate_series(1, ${locations}) n, account a where a.parent_id is null`,
    [zone],
  );
  await client.query(
    `with made as (
      insert into sensor (id, owner_id, owner_path, type, location_id)
      select '0A:' || regexp_replace(lpad(upper(to_hex(n)), 10, '0'), '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'), a.id, a.path, 'APS',
        ('00000000-0000-7000-e000-' || lpad(n::text, 12, '0'))::uuid
      from generate_series(1, ${locations}) n, account a where a.parent_id is null returning num, location_id)
    insert into sensor_location (sensor_num, from_at, location_id, counts_from)
    select num, now() - interval '400 days', location_id, '-infinity' from made`,
  );
  await client.query(
    `create table bench_file_row (location_id uuid, start_at timestamptz, n_in int, n_out int, known_ms int)`,
  );
  await client.query(
    `update counter set line_ids = '{door}', line_names = '{Door}', first_ms = $1 where sensor_num in (${sensors})`,
    [utcMonthStart(utcMonth(Date.now()) - 4)],
  );
}

const sensors = "select num from sensor where location_id::text like '00000000-0000-7000-e000-%'";

/** The four months before this one as packs, the last of them also as plain rows. */
async function plantLastMonths(client: pg.Client): Promise<void> {
  const thisMonth = utcMonth(Date.now());
  for (let month = thisMonth - 4; month < thisMonth; month += 1) {
    const [from, to] = [utcMonthStart(month), utcMonthStart(month + 1)];
    const counts = Array.from({ length: (to - from) / stepMs }, (_, n) => countAt(from + n * stepMs));
    const points = Array.from({ length: (to - from) / dayMs }, () => dayMs / stepMs);
    await client.query(
      `insert into count_pack (sensor_num, month, day_points, body) select num, $1, $2, $3 from (${sensors}) s`,
      [month, points, pack(counts)],
    );
    if (month === thisMonth - 1) await plantRows(client, counts);
  }
}

/** Recent counts are rows of the product, too. */
async function plantRecentDays(client: pg.Client): Promise<void> {
  const to = Math.floor(Date.now() / stepMs) * stepMs;
  const from = Math.max(to - recentDays * dayMs, utcMonthStart(utcMonth(to)));
  const counts = Array.from({ length: (to - from) / stepMs }, (_, n) => countAt(from + n * stepMs));
  await client.query(
    `insert into count_hot (start_ms, sensor_num, duration_ms, known_ms, n_in, n_out, line_no, osd, quality, is_ahead, over_pack)
    select s, num, ${stepMs}, ${stepMs}, i, o, 1, 0, 0, false, false
    from (${sensors}) k, unnest($1::bigint[], $2::int[], $3::int[]) r (s, i, o)`,
    [counts.map((one) => one.startMs), counts.map((one) => one.in), counts.map((one) => one.out)],
  );
  await plantRows(client, counts);
}

async function plantRows(client: pg.Client, counts: readonly ReturnType<typeof countAt>[]): Promise<void> {
  await client.query(
    `insert into bench_file_row select location_id, to_timestamp(s / 1000.0), i, o, ${stepMs}
    from (select location_id from sensor where num in (${sensors})) k, unnest($1::bigint[], $2::int[], $3::int[]) r (s, i, o)`,
    [counts.map((one) => one.startMs), counts.map((one) => one.in), counts.map((one) => one.out)],
  );
}

/** Rows per second of the plain statement, with the same columns, written as CSV. */
async function bareCsv(client: pg.Client, [first, last]: readonly [number, number]): Promise<number> {
  const from = performance.now();
  const { dayStart } = zoneOf(zone);
  const { rows } = await client.query<(string | number | null)[]>({
    text: `select l.id, l.name, array_to_string(l.tags, ', '), a.name, l.country, l.timezone,
        to_char(r.hour, 'YYYY-MM-DD"T"HH24:MI:SS'), to_char(r.hour + interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS'), r.n_in, r.n_out, r.known
      from (
        select location_id, date_trunc('hour', start_at at time zone '${zone}') as hour, sum(n_in) as n_in, sum(n_out) as n_out,
          sum(known_ms) / 3600000.0 as known
        from bench_file_row where start_at >= $1 and start_at < $2 group by 1, 2
      ) r join location l on l.id = r.location_id join account a on a.id = l.owner_id order by l.name, r.hour`,
    values: [new Date(dayStart(first)), new Date(dayStart(last + 1))],
    rowMode: "array",
  });
  let bytes = 0;
  for (const row of rows) bytes += Buffer.byteLength(`${row.join(",")}\n`);
  if (bytes === 0) throw new Error("The plain statement found nothing");
  return rows.length / ((performance.now() - from) / 1000);
}

function download(url: string, headers: Record<string, string>): Promise<{ ms: number; toFirstByte: number }> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (reply) => {
      let toFirstByte = 0;
      reply.on("data", () => (toFirstByte ||= performance.now() - from));
      reply.on("error", reject);
      reply.on("end", () =>
        reply.statusCode === 200
          ? resolve({ ms: performance.now() - from, toFirstByte })
          : reject(new Error(`${url} → ${reply.statusCode}`)),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

type Telling = { rounds: number; tell: (row: BenchRow) => void };

/** Compares the 95th percentile of ordinary calls, one after the other, without and during a file. */
async function tellSlowdown(url: string, headers: Record<string, string>, file: string, { rounds, tell }: Telling) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = { url: `${url}/api/v2/sensor?limit=50`, headers };
  const p95 = async (isOver: () => boolean): Promise<number> => {
    const times: number[] = [];
    while (!isOver() || times.length < 40) {
      const from = performance.now();
      await fetchBody(call, agent);
      times.push(performance.now() - from);
    }
    return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
  };
  const quiet = () => {
    const until = performance.now() + 3_000;
    return p95(() => performance.now() > until);
  };
  const during = async () => {
    let isOver = false;
    const reading = download(file, headers).then(() => void (isOver = true));
    const result = await p95(() => isOver);
    await reading;
    return result;
  };
  await quiet();
  tell({
    call: "p95 of another call: alone / during a file",
    ...(await measureAlternately(rounds, quiet, during)),
    unit: "ms",
    goal: 1 / mostSlowdown,
  });
  agent.destroy();
}

const rssMb = (pid: number | null) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid ?? 0}/status`, "utf8"))?.[1] ?? 0) / 1024;

async function tellMemory(url: string, headers: Record<string, string>, pid: number | null): Promise<void> {
  const before = rssMb(pid);
  let [most, half, isOver] = [before, 0, false];
  const from = performance.now();
  const reading = download(url, headers).finally(() => (isOver = true));
  for (; !isOver; await delay(200)) {
    const now = rssMb(pid);
    if (performance.now() - from < 5_000) half = Math.max(half, now);
    most = Math.max(most, now);
  }
  const { ms } = await reading;
  const rows = (locations * workbookDays * 24).toLocaleString("en");
  process.stdout.write(
    `a workbook of ${rows} rows took ${(ms / 1000).toFixed(1)} s; resident memory ${Math.round(before)} MB before, ` +
      `at most ${Math.round(half)} MB in the first five seconds, at most ${Math.round(most)} MB in all\n`,
  );
}
