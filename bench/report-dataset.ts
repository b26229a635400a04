// Plants chains of shops in twelve zones with two months of daily sums, and reports that were due at the last 07:00 of their zone.
import { dayMs } from "@psp/contract/kit/zone.ts";
import type { ReportFormat, ReportQuery } from "@psp/contract/report/report.ts";
import type { WeekDay } from "@psp/contract/monitoring/limits.ts";
import type pg from "pg";
import { fillDatabase } from "./dataset.ts";

/** With offsets from +13 to −10 hours, some of them not whole hours, and clock changes on both hemispheres. */
export const zones = [
  "Pacific/Auckland",
  "Australia/Sydney",
  "Australia/Lord_Howe",
  "Asia/Tokyo",
  "Asia/Kathmandu",
  "Asia/Kolkata",
  "Europe/Berlin",
  "UTC",
  "America/St_Johns",
  "America/New_York",
  "America/Los_Angeles",
  "Pacific/Honolulu",
] as const;

const weekdays: readonly WeekDay[] = ["mo", "tu", "we", "th", "fr", "sa", "su"];

/** The last 07:00 in the zone, and its weekday. A weekly report of that day is next due in six days at the earliest. */
export function lastMorning(zone: string, nowMs: number): { at: Date; on: WeekDay } {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
  const today = now.toPlainDate().toZonedDateTime({ timeZone: zone, plainTime: "07:00" });
  const morning = Temporal.ZonedDateTime.compare(today, now) <= 0 ? today : today.subtract({ days: 1 });
  return { at: new Date(morning.epochMilliseconds), on: weekdays[morning.dayOfWeek - 1] ?? "mo" };
}

export function pick(shops: readonly Shop[], index: number): Shop {
  const shop = shops[index];
  if (!shop) throw new Error(`No shop ${index}`);
  return shop;
}

export type Shop = { id: string; ownerId: string; zone: string };

/** Inserts one shop per chain and zone, each with a sensor and sums of sixty days. Returns them by chain, then by zone. */
export async function plantChains(client: pg.Client, databaseUrl: string, chains: number): Promise<Shop[]> {
  await fillDatabase(databaseUrl, 100 * (chains + 1));
  const { rows } = await client.query<Shop>(
    `insert into location (id, owner_id, owner_path, name, timezone, tags)
    select ('00000000-0000-7000-8d00-' || lpad((a.k * ${zones.length} + z.n)::text, 12, '0'))::uuid, a.id, a.path,
      'Shop ' || z.n, z.name, array['row ' || z.n % 3]
    from (select id, path, row_number() over (order by id) - 1 as k from account where parent_id is not null limit $2) a,
      unnest($1::text[]) with ordinality z (name, n)
    returning id, owner_id as "ownerId", timezone as zone`,
    [zones, chains],
  );
  await client.query(
    `with made as (
      insert into sensor (id, owner_id, owner_path, type, location_id)
      select '06:' || regexp_replace(lpad(upper(to_hex(row_number() over (order by id))), 10, '0'),
        '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'), owner_id, owner_path, 'APS', id
      from location where id = any($1::uuid[]) returning num, location_id)
    insert into sensor_location (sensor_num, from_at, location_id, counts_from)
    select num, now() - interval '60 days', location_id, '-infinity' from made`,
    [rows.map(({ id }) => id)],
  );
  await client.query(
    `insert into count_day select a.sensor_num, d, a.location_id, 100 + (a.sensor_num * d) % 400, 100 + (a.sensor_num * d) % 300, ${dayMs}
    from generate_series($1::int - 59, $1::int) d join sensor_location a on a.location_id = any($2::uuid[])`,
    [Math.floor(Date.now() / dayMs), rows.map(({ id }) => id)],
  );
  await client.query("vacuum analyze");
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

export type PlantedReport = { id: string; name: string; zone: string; dueAt: Date; emails: string[] };

type Plan = {
  reports: number;
  recipients: number;
  isDue: boolean;
  range: ReportQuery["range"];
  /** Owner and zone of the report are those of the shop. */
  shopOf: (index: number) => Shop;
  filtersOf: (shop: Shop) => ReportQuery["filters"];
  formatsOf: (index: number) => ReportFormat[];
};

/** Inserts reports of the root login with recipients who have confirmed. */
export async function plantReports(client: pg.Client, plan: Plan): Promise<PlantedReport[]> {
  const nowMs = Date.now();
  const rows = Array.from({ length: plan.reports }, (_, index) => {
    const shop = plan.shopOf(index);
    const { at, on } = lastMorning(shop.zone, nowMs);
    const query: ReportQuery = {
      filters: plan.filtersOf(shop),
      range: plan.range,
      by: null,
      open: false,
      compare: "previous",
      groupBy: "none",
      content: ["summary", "ranking", "chart", "gaps"],
      formats: plan.formatsOf(index),
    };
    const id = `00000000-0000-7000-8e00-${String(index).padStart(12, "0")}`;
    const emails = Array.from({ length: plan.recipients }, (_r, n) => `reader-${index}-${n}@example.com`);
    const schedule = { every: "week", on, at: "07:00", zone: shop.zone };
    return { id, name: `Report ${index}`, zone: shop.zone, dueAt: at, ownerId: shop.ownerId, query, schedule, emails };
  });
  await client.query(
    `insert into report (id, owner_id, owner_path, name, creator_id, query, schedule, handled_to, check_at, next_at)
    select u.id, a.id, a.path, u.name, c.id, u.query, u.schedule, u.due - interval '1 day',
      case when $7 then now() end, u.due
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[], $5::jsonb[], $6::timestamptz[])
      u (id, owner_id, name, query, schedule, due)
    join account a on a.id = u.owner_id, credential c where c.email = 'root@bench.example'`,
    [
      rows.map(({ id }) => id),
      rows.map(({ ownerId }) => ownerId),
      rows.map(({ name }) => name),
      rows.map(({ query }) => JSON.stringify(query)),
      rows.map(({ schedule }) => JSON.stringify(schedule)),
      rows.map(({ dueAt }) => dueAt),
      plan.isDue,
    ],
  );
  const readers = rows.flatMap(({ id, emails }) => emails.map((email, position) => ({ id, email, position })));
  await client.query(
    `with added as (
      insert into report_recipient (report_id, email, position)
      select * from unnest($1::uuid[], $2::text[], $3::int[]) returning report_id, email)
    insert into report_address (account_id, email, confirmed_at)
    select r.owner_id, added.email, now() from added join report r on r.id = added.report_id`,
    [readers.map(({ id }) => id), readers.map(({ email }) => email), readers.map(({ position }) => position)],
  );
  await client.query("analyze");
  return rows;
}
