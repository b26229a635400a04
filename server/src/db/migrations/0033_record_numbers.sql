-- Reused record numbers, wrong clocks, and identities shared by two devices.

alter table device_epoch
  -- How often the device restarted its numbering without renaming its buffer. The server treats each restart as a new epoch.
  add column generation integer not null default 0,
  add column restarted_at timestamptz,
  -- Latest run of records that replaced others of the same buffer without the correction flag. Null if there is none.
  add column overwrites jsonb;

-- Null if the record could not be parsed as far as its number.
alter table dead_letter alter column q drop not null;

-- Epoch and number of the record that a count came from. Only kept if the count replaced another one or is ahead.
alter table count_hot add column origin jsonb;
create index count_hot_ahead on count_hot ((start_ms + duration_ms)) where is_ahead;
create index device_record_ahead on device_record (end_ms) where is_ahead;

alter table device
  -- How far the device's clock is ahead of the server's (negative: behind), and whether it is synchronized. Null if unknown.
  add column clock_off_ms bigint,
  add column clock_synced boolean,
  -- Connections that were lost because another device connected with the same identity.
  add column takeovers jsonb;

-- Sensors whose device issues (clock, data, identity) must be evaluated, and when.
create table device_check (
  sensor_num integer primary key references sensor (num),
  check_at timestamptz not null
);
create index device_check_due on device_check (check_at);

-- A new owner must not see earlier findings, so the issues are evaluated again.
create function check_device_again() returns trigger language plpgsql as $$
begin
  insert into device_check (sensor_num, check_at) values (new.num, 'epoch')
    on conflict (sensor_num) do update set check_at = excluded.check_at;
  return null;
end $$;
create trigger sensor_device_check after update of visible_from on sensor
  for each row when (new.visible_from <> old.visible_from) execute function check_device_again();
