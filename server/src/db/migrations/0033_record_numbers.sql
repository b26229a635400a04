-- Record numbers that devices use again, clocks that are wrong, and identities that two devices share.

alter table device_epoch
  -- How often the device restarted its numbers without naming a new buffer; each time is an epoch of its own here.
  add column generation integer not null default 0,
  add column restarted_at timestamptz,
  -- Records in succession that replaced others of the same buffer without saying so; null for none.
  add column overwrites jsonb;

-- Null for what could not be read far enough to find a number.
alter table dead_letter alter column q drop not null;

-- Epoch and number of the record behind a count, where it must be known: the count replaced another, or is ahead.
alter table count_hot add column origin jsonb;
create index count_hot_ahead on count_hot ((start_ms + duration_ms)) where is_ahead;
create index device_record_ahead on device_record (end_ms) where is_ahead;

alter table device
  -- How far the clock is ahead (negative: behind) of ours, and whether the device has set it; null for not known.
  add column clock_off_ms bigint,
  add column clock_synced boolean,
  -- Connections that ended because another device came with the same identity.
  add column takeovers jsonb;

-- Sensors whose device-level issues (clock, data, identity) are to be judged, and when.
create table device_check (
  sensor_num integer primary key references sensor (num),
  check_at timestamptz not null
);
create index device_check_due on device_check (check_at);

-- Another owner is not shown what was found before: it is judged again.
create function check_device_again() returns trigger language plpgsql as $$
begin
  insert into device_check (sensor_num, check_at) values (new.num, 'epoch')
    on conflict (sensor_num) do update set check_at = excluded.check_at;
  return null;
end $$;
create trigger sensor_device_check after update of visible_from on sensor
  for each row when (new.visible_from <> old.visible_from) execute function check_device_again();
