-- Monitoring (ADR 0022): which sensors are to be looked at again and why, the present state of each check, and the mails about it.

-- Facts of a sensor changed: looked at within a minute, then deleted. Only ever appended, so that its writers, who hold
-- locks in different orders, never wait for each other.
create table fact_mark (
  id bigint generated always as identity primary key,
  sensor_num integer not null,
  -- Since when facts are new; null where it is not a matter of time: configuration, license, presence, place.
  from_ms bigint
);

create function mark_sensor_facts() returns trigger language plpgsql as $$
begin
  insert into fact_mark (sensor_num) values (new.num);
  return null;
end $$;
-- Sensors without the license are not monitored, before and after.
create trigger sensor_facts after update of is_connected, license_monitoring, monitoring_config, location_id, visible_from, is_deleted
  on sensor for each row
  when ((new.license_monitoring or old.license_monitoring) and (
    new.is_connected <> old.is_connected or new.license_monitoring <> old.license_monitoring
    or new.monitoring_config is distinct from old.monitoring_config or new.location_id is distinct from old.location_id
    or new.visible_from <> old.visible_from or new.is_deleted <> old.is_deleted))
  execute function mark_sensor_facts();

create trigger sensor_facts_new after insert on sensor for each row
  when (new.license_monitoring) execute function mark_sensor_facts();
insert into fact_mark (sensor_num) select num from sensor where license_monitoring and not is_deleted;

create function mark_location_facts() returns trigger language plpgsql as $$
begin
  insert into fact_mark (sensor_num) select num from sensor where location_id = new.id and license_monitoring;
  return null;
end $$;
create trigger location_facts after update of monitoring_config, timezone on location for each row
  when (new.monitoring_config is distinct from old.monitoring_config or new.timezone is distinct from old.timezone)
  execute function mark_location_facts();

-- One row per monitored sensor: when time alone may change a verdict, and which days were judged.
create table monitor (
  sensor_num integer primary key references sensor (num),
  check_at timestamptz not null,
  -- The local day on which uptime and plausibility were judged last, and the local day of the last delivery then.
  judged_day integer,
  delivered_day integer,
  zone text not null
) with (fillfactor = 80);
create index monitor_due on monitor (check_at);

-- Seconds of uptime per local day of a monitored sensor, of days that are over; made again when something comes late.
create table uptime_day (
  sensor_num integer not null references sensor (num),
  day integer not null,
  up_s integer not null,
  primary key (sensor_num, day)
);

-- States other than Ok.
create table sensor_issue (
  sensor_num integer not null references sensor (num),
  issue_type text not null,
  issue_status text not null,
  status_id uuid not null references monitoring_status (id),
  primary key (sensor_num, issue_type)
);
create index sensor_issue_by_status on sensor_issue (status_id);

alter table monitoring_status
  -- What the check looked at when the state changed.
  add column facts jsonb not null default '{}',
  add column acknowledged_by uuid references account (id),
  -- Why there is no mail about it; null where there are some, and for Ok.
  add column not_mailed text;
create index monitoring_status_by_time on monitoring_status (start_ms);

-- Reboots that no one asked for, and resets by the watchdog, in a health slice.
create function health_reboots(body jsonb) returns integer language sql immutable parallel safe as $$
  select coalesce(sum(value::integer), 0)::integer from jsonb_each_text(coalesce(body -> 'reboots', '{}')) where key not in ('fw', 'user')
$$;
create function health_resets(body jsonb) returns integer language sql immutable parallel safe as $$
  select coalesce((body ->> 'wd')::integer, 0)
$$;
-- Of a hundred thousand slices a handful have any.
create index device_record_health_faults on device_record_health (sensor_num, start_ms)
  where health_reboots(body) > 0 or health_resets(body) > 0;

-- A mail that is to be sent about a state, gathered with others of its recipient.
create table alert (
  id bigint generated always as identity primary key,
  status_id uuid not null references monitoring_status (id),
  recipient text not null,
  -- The owner's login; null for a further address of the configuration.
  credential_id uuid references credential (id),
  -- Not before this: the start of the next active day.
  due_at timestamptz not null,
  -- It came up on a day that is not active: sent only if it still holds.
  is_deferred boolean not null,
  sent_at timestamptz,
  -- Why it was not sent after all.
  dropped text
);
create index alert_waiting on alert (recipient, due_at) where sent_at is null and dropped is null;
create index alert_by_status on alert (status_id);
-- When each recipient got the last mail: the next one gathers fifteen minutes.
create table alert_recipient (recipient text primary key, mailed_at timestamptz not null);
-- Further addresses whose holders want no more of these mails.
create table alert_ending (recipient text primary key, ended_at timestamptz not null);
