// Compared locations for benchmarks of counts: sensors with daily sums, opening hours, tags and sales.
import { dayMs, zoneOf } from "@psp/contract/kit/zone.ts";
import type pg from "pg";

export const compared = 5_000;
export const zone = "Europe/Berlin";

export async function plantLocations(client: pg.Client): Promise<void> {
  const owner = "(select id, path from account where parent_id is null)";
  await client.query(
    `insert into location (id, owner_id, owner_path, name, timezone)
    select ('00000000-0000-7000-d000-' || lpad(n::text, 12, '0'))::uuid, a.id, a.path, 'Shop ' || n, $1
    from generate_series(1, ${compared}) n, ${owner} a`,
    [zone],
  );
  await client.query(
    `with made as (
      insert into sensor (id, owner_id, owner_path, type, location_id)
      select '06:' || regexp_replace(lpad(upper(to_hex(n)), 10, '0'), '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'), a.id, a.path, 'APS',
        ('00000000-0000-7000-d000-' || lpad((n % ${compared} + 1)::text, 12, '0'))::uuid
      from generate_series(1, ${compared} * 2) n, ${owner} a returning num, location_id)
    insert into sensor_location (sensor_num, from_at, location_id, counts_from)
    select num, now() - interval '60 days', location_id, '-infinity' from made`,
  );
  await client.query(
    `insert into count_day select a.sensor_num, d, a.location_id, 100 + (a.sensor_num * d) % 400, 100 + (a.sensor_num * d) % 300, ${dayMs}
    from generate_series($1::int - 59, $1::int) d
    join sensor_location a on a.location_id::text like '00000000-0000-7000-d000-%'`,
    [Math.floor(Date.now() / dayMs)],
  );
}

/** Half of each day lies within the hours. There are a hundred different ones. */
export async function plantOpeningHours(client: pg.Client): Promise<void> {
  const ours = "location.id::text like '00000000-0000-7000-d000-%'";
  await client.query(`
    update location set opening_hours = jsonb_build_object('exceptions', jsonb_build_array(), 'holidays',
        jsonb_build_object('country', 'DE', 'region', 'BE', 'closed', true), 'week', (
        select jsonb_object_agg(d, case when d = 'su' then '[]'::jsonb else
          jsonb_build_array(jsonb_build_object('from', lpad((7 + n.n % 4)::text, 2, '0') || ':' || lpad((n.n % 25 + 10)::text, 2, '0'),
            'to', '20:00')) end)
        from unnest('{mo,tu,we,th,fr,sa,su}'::text[]) d))
    from (select id, row_number() over () as n from location) n where n.id = location.id and ${ours}`);
  await client.query(
    `update count_day set open_in = n_in / 2, open_out = n_out / 2, open_known_ms = known_ms / 2
    from location where location.id = location_id and ${ours}`,
  );
  await client.query(`update location set open_sums_key = hours_key where ${ours}`);
  await client.query("delete from open_sum_work");
  await client.query("vacuum analyze");
}

/** One entry per local day of the last 60 days, and a tag. */
export async function plantSales(client: pg.Client): Promise<void> {
  const { dayAt, dayStart } = zoneOf(zone);
  const today = dayAt(Date.now());
  const days = Array.from({ length: 60 }, (_, n) => today - 60 + n);
  await client.query(
    `insert into sale (location_id, owner_id, start_ms, end_ms, is_day, transactions, revenue, currency)
    select l.id, l.owner_id, d.s, d.e, true, 20 + d.s / 86400000 % 50, 399.95, 'EUR' from unnest($1::bigint[], $2::bigint[]) d (s, e)
    cross join location l where l.id::text like '00000000-0000-7000-d000-%'`,
    [days.map((day) => dayStart(day)), days.map((day) => dayStart(day + 1))],
  );
  await client.query(`update location set tags = '{chain}' where id::text like '00000000-0000-7000-d000-%'`);
  await client.query("vacuum analyze");
}
