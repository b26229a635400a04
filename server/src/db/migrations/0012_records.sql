-- Timed values other than counts: other device records, occupancy added by people, and results of monitoring. Times are milliseconds
-- since 1970 in UTC, as on the wire.

-- Device records other than counts, by kind, sensor, start and `sub` (the kind of an event). One partition per kind.
create table device_record (
  kind text not null,
  sensor_num integer not null,
  start_ms bigint not null,
  sub text not null default '',
  end_ms bigint not null,
  is_ahead boolean not null,
  body jsonb not null,
  -- Number of corrections. A zero tells an upsert that the row is new, because xmax can't be used in partitioned tables.
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

-- Changes of an issue's status found by monitoring. An acknowledgement can't be reverted.
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
