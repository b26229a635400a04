-- What each ZOD said last of its coach: people by section, and where it was. One row a sensor, written every few seconds.
create table vehicle_level (
  sensor_num integer primary key references sensor (num) on delete cascade,
  zones jsonb not null,
  pos jsonb,
  -- When it arrived, by our clock: a device whose own is wrong is neither silent nor ahead of its time.
  at timestamptz not null
) with (fillfactor = 70);

-- The address of an account's feed; only the digest of its token is kept.
create table feed_token (
  account_id uuid primary key references account (id) on delete cascade,
  token_hash bytea not null,
  created_at timestamptz not null
);
create unique index feed_token_by_hash on feed_token (token_hash);

-- The coaches of an account with those below it, whatever else the accounts own.
create index sensor_coaches on sensor (owner_path, num) where type = 'ZOD' and not is_deleted;

-- What it said was the former owner's.
create function forget_level() returns trigger language plpgsql as $$
begin
  delete from vehicle_level where sensor_num = new.num;
  return null;
end $$;
create trigger sensor_forgets_level after update of owner_id, is_deleted on sensor for each row
  when (old.owner_id <> new.owner_id or old.is_deleted <> new.is_deleted) execute function forget_level();
