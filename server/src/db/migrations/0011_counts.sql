-- Counts by sensor, line and start: as rows, packed by month, and summed up by day (ADR 0020).
-- Times are milliseconds since 1970 in UTC as on the wire; months and days are whole numbers since 1970.

-- One row per sensor: the lock that orders the writers of its counts, and the numbers of its lines.
create table counter (
  sensor_num integer primary key references sensor (num),
  -- Line n of count_hot is the n-th of these, from 1.
  line_ids text[] not null default '{}',
  line_names text[] not null default '{}',
  -- Start of its first count; null until there is one.
  first_ms bigint,
  -- End of the newest packed month: what starts later is in count_hot alone.
  packed_to_ms bigint
) with (fillfactor = 80);
-- Created with the sensor: creating it with the first count would let two writers wait for each other in a circle.
create function add_counters() returns trigger language plpgsql as $$
begin
  insert into counter (sensor_num) select num from new_rows;
  return null;
end $$;
create trigger sensor_counter after insert on sensor
  referencing new table as new_rows for each statement execute function add_counters();

-- Counts of the last weeks as rows, and later corrections of packed ones.
create table count_hot (
  start_ms bigint not null,
  sensor_num integer not null,
  duration_ms integer not null,
  -- Time really observed, at most the duration.
  known_ms integer not null,
  n_in integer not null,
  n_out integer not null,
  line_no smallint not null,
  osd smallint not null,
  -- Position in the contract's list of qualities.
  quality smallint not null,
  -- It ended more than ten minutes after its arrival: a broken clock, kept but in no sum.
  is_ahead boolean not null,
  -- There is a packed count of the same sensor, line and start, which this one replaces.
  over_pack boolean not null,
  -- In and out per object class, where the sensor distinguishes them.
  classes jsonb,
  primary key (sensor_num, start_ms, line_no)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);

-- Counts of a sensor and month, column by column and compressed.
create table count_pack (
  sensor_num integer not null,
  -- (year - 1970) * 12 + month, in UTC.
  month smallint not null,
  -- Counts per UTC day of the month, so that totals need not unpack.
  day_points integer[] not null,
  body bytea not null,
  primary key (sensor_num, month)
);
-- The body is compressed already: PostgreSQL must not try again.
alter table count_pack alter column body set storage external;

-- Sums per sensor, location of the time (null: none) and local day there, kept in the same transaction as the counts.
create table count_day (
  sensor_num integer not null,
  day integer not null,
  location_id uuid,
  n_in bigint not null,
  n_out bigint not null,
  known_ms bigint not null,
  unique nulls not distinct (sensor_num, day, location_id)
) with (fillfactor = 70);
