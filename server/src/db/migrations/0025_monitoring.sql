-- Monitoring (ADR 0022): which sensors must be evaluated again and why, the current status of each check, and the mails about it.

-- Marks a sensor whose facts changed. It is evaluated within a minute, and then the row is deleted. Append-only, because writers lock
-- in different orders, and an upsert would make them wait for each other.
create table fact_mark (
  id bigint generated always as identity primary key,
  sensor_num integer not null,
  -- Start of the new data. Null if the change has no period: configuration, license, presence or location.
  from_ms bigint
);

create function mark_sensor_facts() returns trigger language plpgsql as $$
begin
  insert into fact_mark (sensor_num) values (new.num);
  return null;
end $$;
-- Skips sensors that had no monitoring license before the update and have none after it.
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

-- One row per monitored sensor. `check_at`: when time alone may change a status.
create table monitor (
  sensor_num integer primary key references sensor (num),
  check_at timestamptz not null,
  -- Local days of the last evaluation of uptime and plausibility, and of the sensor's last delivery before that evaluation.
  judged_day integer,
  delivered_day integer,
  zone text not null
) with (fillfactor = 80);
create index monitor_due on monitor (check_at);

-- Seconds of uptime of a monitored sensor per past local day. Recomputed when data arrives late.
create table uptime_day (
  sensor_num integer not null references sensor (num),
  day integer not null,
  up_s integer not null,
  primary key (sensor_num, day)
);

-- Current statuses other than Ok.
create table sensor_issue (
  sensor_num integer not null references sensor (num),
  issue_type text not null,
  issue_status text not null,
  status_id uuid not null references monitoring_status (id),
  primary key (sensor_num, issue_type)
);
create index sensor_issue_by_status on sensor_issue (status_id);

alter table monitoring_status
  -- The values that the check evaluated when the status changed.
  add column facts jsonb not null default '{}',
  add column acknowledged_by uuid references account (id),
  -- Why no mail was queued. Null if mails were queued, and for the status Ok.
  add column not_mailed text;
create index monitoring_status_by_time on monitoring_status (start_ms);

-- Count the unexpected reboots and the watchdog resets in a health record.
create function health_reboots(body jsonb) returns integer language sql immutable parallel safe as $$
  select coalesce(sum(value::integer), 0)::integer from jsonb_each_text(coalesce(body -> 'reboots', '{}')) where key not in ('fw', 'user')
$$;
create function health_resets(body jsonb) returns integer language sql immutable parallel safe as $$
  select coalesce((body ->> 'wd')::integer, 0)
$$;
-- Of a hundred thousand health records, only a handful have a reboot or reset.
create index device_record_health_faults on device_record_health (sensor_num, start_ms)
  where health_reboots(body) > 0 or health_resets(body) > 0;

-- A status about which a recipient gets a mail. The alerts of a recipient are combined into one mail.
create table alert (
  id bigint generated always as identity primary key,
  status_id uuid not null references monitoring_status (id),
  recipient text not null,
  -- The owner's login. Null for an additional address from the configuration.
  credential_id uuid references credential (id),
  -- Earliest time to send. On an inactive day, the start of the next active day.
  due_at timestamptz not null,
  -- Whether the status was found on an inactive day. The mail is then sent only if the status still applies.
  is_deferred boolean not null,
  sent_at timestamptz,
  -- Why the alert was not mailed.
  dropped text
);
create index alert_waiting on alert (recipient, due_at) where sent_at is null and dropped is null;
create index alert_by_status on alert (status_id);
-- When each recipient got the last mail. Alerts of the following fifteen minutes are combined into the next mail.
create table alert_recipient (recipient text primary key, mailed_at timestamptz not null);
-- Additional addresses whose holders have unsubscribed from these mails.
create table alert_ending (recipient text primary key, ended_at timestamptz not null);
