-- The latest level of each ZOD's coach: people by section, and position. One row per sensor, written every few seconds.
create table vehicle_level (
  sensor_num integer primary key references sensor (num) on delete cascade,
  zones jsonb not null,
  pos jsonb,
  -- Time of arrival by the server's clock. A device clock could be wrong and make the level seem outdated or in the future.
  at timestamptz not null
) with (fillfactor = 70);

-- Token of an account's feed URL, stored only as a digest.
create table feed_token (
  account_id uuid primary key references account (id) on delete cascade,
  token_hash bytea not null,
  created_at timestamptz not null
);
create unique index feed_token_by_hash on feed_token (token_hash);

-- Finds the coaches of an account and all its sub-accounts without reading their other sensors.
create index sensor_coaches on sensor (owner_path, num) where type = 'ZOD' and not is_deleted;

-- The level belongs to the former owner. A new owner must not see it.
create function forget_level() returns trigger language plpgsql as $$
begin
  delete from vehicle_level where sensor_num = new.num;
  return null;
end $$;
create trigger sensor_forgets_level after update of owner_id, is_deleted on sensor for each row
  when (old.owner_id <> new.owner_id or old.is_deleted <> new.is_deleted) execute function forget_level();
