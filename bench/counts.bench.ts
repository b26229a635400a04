// Measures reading counts: twenty years by month, a year by hour, and five thousand locations, each against a plain SQL statement
// with the same sums. Also measures the bytes per stored interval.
import pg from "pg";
import "../server/src/db/tables.ts";
import { type Count, pack } from "../server/src/count/pack.rules.ts";
import { dayMs, zoneOf } from "@psp/contract/kit/zone.ts";
import { utcMonth, utcMonthStart } from "../server/src/count/month.rules.ts";
import { compared, plantLocations, plantOpeningHours, plantSales, zone } from "./compared-locations.ts";
import { fillDatabase } from "./dataset.ts";
import { measureAlternately, measureRate, type BenchRow } from "./load.ts";
import { createProduct } from "./product.ts";
import { makePartitions } from "./server-context.ts";

export type CountsOptions = { rounds: number; ms: number; intervals: number };

export const stepMs = 300_000;
const years = 20;
/** Months of counts that are copied to each of the other sensors. */
const copiedMonths = 13;

export async function benchCounts(
  { rounds, ms, intervals }: CountsOptions,
  tell: (row: BenchRow) => void,
): Promise<void> {
  const product = await createProduct({ PARTS: "api" });
  await product.start();
  const databaseUrl = await product.databaseUrl();
  await makePartitions(databaseUrl);
  const viewer = (await fillDatabase(databaseUrl, 1_000)).find(({ name }) => name === "root");
  if (!viewer) throw new Error("No viewer");
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const place = await plantHistory(client);
  const stored = await plantCopies(client, place.num, intervals);
  await plantLocations(client);
  await client.query("vacuum analyze");
  await tellSizes(client, stored);

  const headers = { authorization: `Bearer ${viewer.token}` };
  const asked = (path: string) => measureRate({ url: product.url + path, headers }, 1, ms);
  const bare = async (text: string, values: unknown[] = []) => {
    const until = performance.now() + ms;
    const from = performance.now();
    let n = 0;
    for (; performance.now() < until; n += 1) await client.query(text, values);
    return n / ((performance.now() - from) / 1000);
  };
  const lastYear = new Date().getUTCFullYear() - 1;
  const counts = `/api/v2/counts?filter=meas:${place.id}`;
  const rows: Row[] = [
    {
      call: `${years} years of a location by month`,
      path: `${counts}&by=month&range=${lastYear - years + 1}-01-01,${lastYear}-12-31`,
      bare: () =>
        bare(
          `select date_trunc('month', date '1970-01-01' + day) as month, sum(n_in), sum(n_out), sum(known_ms) from count_day
          where sensor_num = $1 and location_id = $2 and day >= $3 and day < $4 group by 1 order by 1`,
          [place.num, place.id, dayOf(lastYear - years + 1), dayOf(lastYear + 1)],
        ),
    },
    {
      call: "a year of a location by hour",
      path: `${counts}&by=hour&range=${lastYear}-01-01,${lastYear}-12-31`,
      bare: () =>
        bare(
          `select date_trunc('hour', start_at at time zone '${zone}') as hour, sum(n_in), sum(n_out), sum(known_ms) from bench_row
          where sensor_num = $1 and start_at >= $2 and start_at < $3 group by 1 order by 1`,
          [place.num, new Date(Date.UTC(lastYear, 0, 1)), new Date(Date.UTC(lastYear + 1, 0, 1))],
        ),
    },
    ...comparisons(client, bare),
  ];
  for (const row of rows) {
    await row.before?.();
    await asked(row.path);
    await row.bare();
    tell({
      call: row.call,
      ...(await measureAlternately(rounds, () => asked(row.path), row.bare)),
      unit: "1/s",
      goal: null,
    });
  }
  await client.end();
  await product.end();
}

type Bare = (text: string, values?: unknown[]) => Promise<number>;
type Row = { call: string; path: string; bare: () => Promise<number>; before?: () => Promise<void> };

function comparisons(client: pg.Client, bare: Bare): Row[] {
  const bareComparison = (columns: string) =>
    bare(
      `select location_id, ${columns.replace(/\w+/g, "sum($&)")} from count_day where day >= $1 and location_id is not null
      group by 1 order by 2 desc limit 50`,
      [Math.floor(Date.now() / dayMs) - 29],
    );
  return [
    {
      call: `${compared.toLocaleString("en")} locations side by side, 30 days`,
      path: "/api/v2/counts/locations?range=last30days&includeTotals=true",
      bare: () => bareComparison("n_in, n_out, known_ms"),
    },
    {
      call: `${compared.toLocaleString("en")} locations with opening hours, 30 days`,
      path: "/api/v2/counts/locations?range=last30days&includeTotals=true&open=true",
      bare: () => bareComparison("open_in, open_out, open_known_ms"),
      before: () => plantOpeningHours(client),
    },
    {
      call: `${compared.toLocaleString("en")} locations with opening hours, by change`,
      path: "/api/v2/counts/locations?range=last30days&includeTotals=true&open=true&sortBy=change",
      bare: () => bareComparison("open_in, open_out, open_known_ms"),
    },
    {
      call: `${compared.toLocaleString("en")} locations with opening hours, tags and sales, 30 days`,
      path: "/api/v2/counts/locations?range=last30days&includeTotals=true&open=true&tag=chain",
      bare: () => bareComparison("open_in, open_out, open_known_ms"),
      before: () => plantSales(client),
    },
    {
      call: `${compared.toLocaleString("en")} locations with opening hours, tags and sales, by change of conversion`,
      path: "/api/v2/counts/locations?range=last30days&includeTotals=true&open=true&tag=chain&sortBy=conversionChange",
      bare: () =>
        bare(
          `select s.location_id, sum(s.transactions)::float8 / sum(c.open_in) from sale s join count_day c
          on c.location_id = s.location_id and c.day = floor((s.start_ms + 43200000) / 86400000.0)
          where s.start_ms >= $1 group by 1 order by 2 limit 50`,
          [Date.now() - 30 * dayMs],
        ),
    },
  ];
}

const dayOf = (year: number) => Date.UTC(year, 0, 1) / dayMs;

/** Inserts twenty years of 5-minute intervals for one sensor: packs and daily sums, and plain rows for the baseline. */
async function plantHistory(client: pg.Client): Promise<{ num: number; id: string }> {
  const { rows } = await client.query(
    "select num, location_id as id from sensor where location_id is not null order by num limit 1",
  );
  const place = rows[0] as { num: number; id: string };
  const from = Date.UTC(new Date().getUTCFullYear() - years, 0, 1);
  const to = utcMonthStart(utcMonth(Date.now()));
  await client.query(`update location set timezone = $2 where id = $1`, [place.id, zone]);
  await client.query(
    `insert into sensor_location (sensor_num, from_at, location_id, counts_from) values ($1, $2, $3, '-infinity')`,
    [place.num, new Date(from), place.id],
  );
  await client.query(
    "create table bench_row (sensor_num int, start_at timestamptz, n_in int, n_out int, known_ms int)",
  );
  const { dayAt } = zoneOf(zone);
  const days = new Map<number, { in: number; out: number; knownMs: number }>();
  for (let month = utcMonth(from); utcMonthStart(month) < to; month += 1) {
    const counts: Count[] = [];
    for (let at = utcMonthStart(month); at < utcMonthStart(month + 1); at += stepMs) {
      const one = countAt(at);
      counts.push(one);
      const day = dayAt(at);
      const sum = days.get(day) ?? { in: 0, out: 0, knownMs: 0 };
      days.set(day, { in: sum.in + one.in, out: sum.out + one.out, knownMs: sum.knownMs + stepMs });
    }
    const points = Array.from(
      { length: (utcMonthStart(month + 1) - utcMonthStart(month)) / dayMs },
      () => dayMs / stepMs,
    );
    await client.query("insert into count_pack (sensor_num, month, day_points, body) values ($1, $2, $3, $4)", [
      place.num,
      month,
      points,
      pack(counts),
    ]);
    await client.query(
      `insert into bench_row select $1, to_timestamp(s / 1000.0), i, o, ${stepMs} from unnest($2::bigint[], $3::int[], $4::int[]) r (s, i, o)`,
      [place.num, counts.map((one) => one.startMs), counts.map((one) => one.in), counts.map((one) => one.out)],
    );
  }
  await client.query("create index on bench_row (sensor_num, start_at)");
  const sums = [...days];
  await client.query(
    `insert into count_day select $1, d, $2, i, o, k from unnest($3::int[], $4::bigint[], $5::bigint[], $6::bigint[]) r (d, i, o, k)`,
    [
      place.num,
      place.id,
      sums.map(([d]) => d),
      ...(["in", "out", "knownMs"] as const).map((key) => sums.map(([, s]) => s[key])),
    ],
  );
  await client.query(
    "update counter set line_ids = '{door}', line_names = '{Door}', first_ms = $2, packed_to_ms = $3 where sensor_num = $1",
    [place.num, from, to],
  );
  return place;
}

export function countAt(startMs: number): Count {
  const hour = (startMs / 3_600_000) % 24;
  const busy = hour > 7 && hour < 20 ? Math.round(20 * Math.sin(((hour - 7) / 13) * Math.PI)) : 0;
  const noise = scatter(startMs / stepMs);
  const people = busy === 0 ? 0 : busy + (noise % 23);
  const quality = 0;
  return {
    startMs,
    durationMs: stepMs,
    knownMs: stepMs,
    lineNo: 1,
    in: people,
    out: Math.max(0, people - ((noise >>> 8) % 9)),
    osd: 0,
    quality,
    ahead: false,
    classes: null,
  };
}

function scatter(n: number): number {
  let mixed = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Copies the most recent months to other sensors until there are about `intervals` intervals; returns their number. */
async function plantCopies(client: pg.Client, source: number, intervals: number): Promise<number> {
  const perSensor = (copiedMonths * 365.25 * 288) / 12;
  const { rows } = await client.query(
    "select sum(p) as n from count_pack, unnest(day_points) p where sensor_num = $1",
    [source],
  );
  const first = Number((rows[0] as { n: string }).n);
  const sensors = Math.min(999, Math.ceil(Math.max(0, intervals - first) / perSensor));
  const chosen = "select num, location_id from sensor where num <> $1 order by num limit $2";
  await client.query(
    `insert into count_pack select s.num, p.month, p.day_points, p.body from (${chosen}) s
    cross join (select * from count_pack where sensor_num = $1 order by month desc limit ${copiedMonths}) p`,
    [source, sensors],
  );
  await client.query(
    `insert into count_day select s.num, d.day, null, d.n_in, d.n_out, d.known_ms from (${chosen}) s
    cross join (select * from count_day where sensor_num = $1 order by day desc limit ${Math.round(copiedMonths * 30.4)}) d`,
    [source, sensors],
  );
  const { rows: all } = await client.query("select sum(p) as n from count_pack, unnest(day_points) p");
  return Number((all[0] as { n: string }).n);
}

async function tellSizes(client: pg.Client, stored: number): Promise<void> {
  const { rows } = await client.query(
    `select sum(pg_column_size(p.*)) as net, (select sum(pg_total_relation_size(relid)) from pg_partition_tree('count_pack')) as packs,
      (select pg_total_relation_size('bench_row')) as plain, (select count(*) from bench_row) as rows,
      (select pg_total_relation_size('count_day')) as days, (select count(*) from count_day) as sums
    from count_pack p`,
  );
  const size = rows[0] as Record<"net" | "packs" | "plain" | "rows" | "days" | "sums", string>;
  const each = (bytes: string, n: number) => (Number(bytes) / n).toFixed(2);
  process.stdout.write(
    `${stored.toLocaleString("en")} intervals in packs: ${each(size.packs, stored)} bytes each on disk (${each(size.net, stored)} without the pages' rest); ` +
      `as plain rows with an index ${each(size.plain, Number(size.rows))}; a daily sum takes ${each(size.days, Number(size.sums))}\n`,
  );
}
