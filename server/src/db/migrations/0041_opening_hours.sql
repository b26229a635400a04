-- Opening hours of locations, defaults of accounts, and the part of each daily sum that lies within them.
alter table account
  add opening_hours jsonb,
  -- Equal for equal hours, so that processes can cache them.
  add hours_key uuid generated always as (md5(opening_hours::text)::uuid) stored;

alter table location
  -- Null inherits the hours of the owner account.
  add opening_hours jsonb,
  add hours_key uuid generated always as (md5(opening_hours::text)::uuid) stored,
  -- The hours that the open_ columns of count_day follow. They are outdated if these aren't the location's hours, or if the
  -- location is listed in open_sum_work.
  add open_sums_key uuid;

-- Null where the location had no opening hours when the row was written. Known time is the part within opening hours.
alter table count_day
  add open_in bigint,
  add open_out bigint,
  add open_known_ms bigint;

-- Locations whose daily sums must be recomputed after a change of opening hours.
create table open_sum_work (
  -- Not a foreign key, because its lock could cause a deadlock with changes of many locations.
  location_id uuid primary key
);

-- The version of the holiday calendars that stored sums follow.
create table holiday_data (
  version text primary key
);

-- Locations that inherit the hours of an account.
create index location_inheriting_hours on location (owner_id) where opening_hours is null and not is_deleted;

create function request_open_sums(locations uuid[]) returns void language sql as $$
  insert into open_sum_work
  select l.id from location l join account a on a.id = l.owner_id
  where l.id = any(locations) and coalesce(l.hours_key, a.hours_key) is not null
  order by l.id
  -- The update locks the row: a worker that has read the former hours can't remove it before this transaction ends.
  on conflict (location_id) do update set location_id = excluded.location_id
$$;

create function location_hours_changed() returns trigger language plpgsql as $$
begin
  perform request_open_sums(array[new.id]);
  return null;
end $$;

create trigger location_hours_inserted after insert on location
  for each row execute function location_hours_changed();
create trigger location_hours_changed after update of opening_hours, owner_id on location
  for each row when (old.hours_key is distinct from new.hours_key or old.owner_id <> new.owner_id)
  execute function location_hours_changed();

create function account_hours_changed() returns trigger language plpgsql as $$
begin
  perform request_open_sums(array(
    select id from location where owner_id = new.id and opening_hours is null and not is_deleted));
  return null;
end $$;

create trigger account_hours_changed after update of opening_hours on account
  for each row when (old.hours_key is distinct from new.hours_key)
  execute function account_hours_changed();
