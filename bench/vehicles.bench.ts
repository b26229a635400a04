// Measures storing levels of coaches and preparing them for live pages, against a bare upsert of the same rows; and the list of 2,000
// coaches over HTTP, against the bare statement that reads them.
import pg from "pg";
import { saveLevels } from "../server/src/feed/feed.store.ts";
import { findChangedVehicles } from "../server/src/vehicle/vehicle.live.ts";
import { measureAlternately, measureRate, type BenchRow } from "./load.ts";
import { createProduct, signIn } from "./product.ts";
import { createContext } from "./server-context.ts";

const coaches = 2000;
/** Changes of one second. */
const changes = 500;

export async function benchVehicles(
  { rounds, ms }: { rounds: number; ms: number },
  tell: (row: BenchRow) => void,
): Promise<void> {
  const product = await createProduct({ PARTS: "api" });
  await product.start();
  const databaseUrl = await product.databaseUrl();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const ctx = createContext(databaseUrl, 4);
  const ids = await plantCoaches(client);
  let n = 0;
  const next = () => {
    n += 1;
    const from = (n * changes) % coaches;
    return ids.slice(from, from + changes).map((sensorId, index) => ({
      sensorId,
      zones: [{ id: "s1", n: (n + index) % 90 }],
      pos: { lat: 50, lng: 9 },
      at: new Date(),
    }));
  };
  const perSecond = async (work: () => Promise<unknown>) => {
    const [started, until] = [performance.now(), performance.now() + ms];
    let done = 0;
    for (; performance.now() < until; done += changes) await work();
    return done / ((performance.now() - started) / 1000);
  };
  const stored = await measureAlternately(
    rounds,
    () =>
      perSecond(async () => {
        const saved = await ctx.db.transaction().execute((tx) => saveLevels(tx, next()));
        await findChangedVehicles(ctx, { sensors: new Map(saved.map((id) => [id, false])), left: [] });
      }),
    () =>
      perSecond(() => {
        const levels = next();
        return client.query(
          `insert into bare_level select id, zones::jsonb, now() from unnest($1::text[], $2::text[]) u (id, zones)
           on conflict (id) do update set zones = excluded.zones, at = excluded.at`,
          [levels.map(({ sensorId }) => sensorId), levels.map(({ zones }) => JSON.stringify(zones))],
        );
      }),
  );
  tell({ call: `levels of ${changes} of ${coaches} coaches, live`, ...stored, unit: "levels/s", goal: null });

  const api = await signIn(product.url);
  const headers = { authorization: `Bearer ${api.token}` };
  const listed = await measureAlternately(
    rounds,
    () => measureRate({ url: `${product.url}/api/v2/vehicle?limit=50&includeTotals=true`, headers }, 1, ms),
    async () => {
      const [started, until] = [performance.now(), performance.now() + ms];
      let done = 0;
      for (; performance.now() < until; done += 1)
        await client.query(`select s.owner_id, c.vehicle_id, sum(l.persons), sum(c.seats + c.standing) from sensor s
          join coach c on c.sensor_num = s.num left join vehicle_level l on l.sensor_num = s.num group by 1, 2 order by 2 limit 50`);
      return done / ((performance.now() - started) / 1000);
    },
  );
  tell({ call: `page of vehicles of ${coaches} coaches`, ...listed, unit: "answers/s", goal: null });
  await ctx.db.destroy();
  await client.end();
  await product.end();
}

/** Trains of eight coaches that belong to the root account. Returns the ids of their sensors. */
async function plantCoaches(client: pg.Client): Promise<string[]> {
  await client.query("create table bare_level (id text primary key, zones jsonb not null, at timestamptz not null)");
  const { rows } = await client.query<{ id: string }>(
    `with owner as (select id, path from account where parent_id is null), made as (
      insert into sensor (id, owner_id, owner_path, type)
      select '04:' || regexp_replace(lpad(upper(to_hex(n)), 10, '0'), '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'), owner.id, owner.path,
        'ZOD' from generate_series(1, $1) n, owner returning num, id), placed as (
      insert into sensor_section (sensor_num, section, answer, read_at)
      select num, 'group', jsonb_build_object('rev', 1, 'values', jsonb_build_object('coach', jsonb_build_object('vehicleId',
        'train-' || num / 8, 'carriageSequence', 1 + num % 8), 'sections', '[{"id":"s1","seats":60,"standing":30}]'::jsonb)), now()
      from made)
    select id from made order by id`,
    [coaches],
  );
  await client.query("analyze sensor, coach, sensor_section, vehicle_level");
  return rows.map(({ id }) => id);
}
