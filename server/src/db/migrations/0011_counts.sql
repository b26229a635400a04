-- Counts by sensor, line and start: as rows, packed by month, and summed up by day (ADR 0020). Times are milliseconds since 1970 in
-- UTC, as on the wire. Months and days are whole numbers since 1970.

-- One row per sensor. Its lock serializes the writers of the sensor's counts, and it numbers the lines.
create table counter (
  sensor_num integer primary key references sensor (num),
  -- `line_no` of count_hot is the position in this list, from 1.
  line_ids text[] not null default '{}',
  line_names text[] not null default '{}',
  -- Start of the sensor's first count. Null until there is one.
  first_ms bigint,
  -- End of the newest packed month. Counts that start later are in count_hot only.
  packed_to_ms bigint
) with (fillfactor = 80);
-- Created with the sensor, because two writers could deadlock if the first count created it.
create function add_counters() returns trigger language plpgsql as $$
begin
  insert into counter (sensor_num) select num from new_rows;
  return null;
end $$;
create trigger sensor_counter after insert on sensor
  referencing new table as new_rows for each statement execute function add_counters();

-- Counts of the last weeks, and corrections of packed counts.
create table count_hot (
  start_ms bigint not null,
  sensor_num integer not null,
  duration_ms integer not null,
  -- Observed part of the duration.
  known_ms integer not null,
  n_in integer not null,
  n_out integer not null,
  line_no smallint not null,
  osd smallint not null,
  -- Position in the contract's list of qualities.
  quality smallint not null,
  -- The count ends more than ten minutes after its arrival, so the sensor's clock is wrong. It is stored, but not part of any sum.
  is_ahead boolean not null,
  -- Replaces a packed count of the same sensor, line and start.
  over_pack boolean not null,
  -- In and out per object class, if the sensor distinguishes classes.
  classes jsonb,
  primary key (sensor_num, start_ms, line_no)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);

-- Counts of a sensor and month, stored by column and compressed.
create table count_pack (
  sensor_num integer not null,
  -- (year - 1970) * 12 + month, in UTC.
  month smallint not null,
  -- Number of counts per UTC day of the month, for totals without unpacking.
  day_points integer[] not null,
  body bytea not null,
  primary key (sensor_num, month)
);
-- The body is compressed already, so PostgreSQL must not compress it again.
alter table count_pack alter column body set storage external;

-- Sums per sensor, location (null: none) and local day. The location is the one at which the counts started, and the day is in its time
-- zone. Updated in the transaction of the counts.
create table count_day (
  sensor_num integer not null,
  day integer not null,
  location_id uuid,
  n_in bigint not null,
  n_out bigint not null,
  known_ms bigint not null,
  unique nulls not distinct (sensor_num, day, location_id)
) with (fillfactor = 70);
