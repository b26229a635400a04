-- Timed values: counts by sensor, line and start (ADR 0013), the other records of the devices, and what people add.
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
-- Made with the sensor: to make it with the first count would let two writers wait for each other in a circle.
create function add_counters() returns trigger language plpgsql as $$
begin
  insert into counter (sensor_num) select num from new_rows;
  return null;
end $$;
create trigger sensor_counter after insert on sensor
  referencing new table as new_rows for each statement execute function add_counters();
insert into counter (sensor_num) select num from sensor;

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
  -- A packed count of the same sensor, line and start lies below and no longer holds.
  over_pack boolean not null,
  -- In and out per object class, where the sensor tells them apart.
  classes jsonb,
  primary key (sensor_num, start_ms, line_no)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);

-- Counts of a sensor and month, column by column and compressed. The body is compressed already: PostgreSQL shall not try again.
create table count_pack (
  sensor_num integer not null,
  -- (year - 1970) * 12 + month, in UTC.
  month smallint not null,
  -- Counts per UTC day of the month, so that totals need not unpack.
  day_points integer[] not null,
  body bytea not null,
  primary key (sensor_num, month)
);
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

-- Everything else that devices send, by sensor, kind, start and (events) their own kind. One partition per kind.
create table device_record (
  kind text not null,
  sensor_num integer not null,
  start_ms bigint not null,
  sub text not null default '',
  end_ms bigint not null,
  is_ahead boolean not null,
  body jsonb not null,
  -- How often it was corrected; zero tells a new row from a changed one, which a partitioned table can't by xmax.
  corrections integer not null default 0,
  primary key (kind, sensor_num, start_ms, sub)
) partition by list (kind);
create table device_record_health partition of device_record for values in ('health');
create table device_record_event partition of device_record for values in ('event');
create table device_record_occ partition of device_record for values in ('occ');
create table device_record_dwell partition of device_record for values in ('dwell');
create table device_record_position partition of device_record for values in ('position');

-- Occupancy that people or scripts added to a location.
create table occupancy_point (
  location_id uuid not null references location (id),
  start_ms bigint not null,
  end_ms bigint not null,
  id uuid not null unique,
  count integer not null,
  primary key (location_id, start_ms)
);

-- Changes of state that monitoring found; acknowledged once, never reverted.
create table monitoring_status (
  id uuid primary key,
  sensor_num integer not null references sensor (num),
  location_id uuid references location (id),
  start_ms bigint not null,
  end_ms bigint not null,
  issue_type text not null,
  issue_status text not null,
  issue_message text not null,
  acknowledged_at timestamptz,
  unique (sensor_num, issue_type, start_ms)
);
create index monitoring_status_by_location on monitoring_status (location_id, start_ms);

-- Records that were refused for what they say; acknowledged to the device all the same.
create table dead_letter (
  id bigint generated always as identity primary key,
  sensor_num integer not null references sensor (num),
  at timestamptz not null,
  ep text not null,
  q bigint not null,
  reason text not null,
  record jsonb not null,
  unique (sensor_num, ep, q)
);
create index dead_letter_by_time on dead_letter (sensor_num, at);
