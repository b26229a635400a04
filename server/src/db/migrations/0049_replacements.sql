-- Replacements of sensors: marks on both sensors, and what is needed to undo one.
alter table sensor
  add column replaced_by text collate "C",
  add column replaces text collate "C";

-- The marks belong to the owner and the life of a sensor. A sensor that gets a location again is no longer replaced.
create function forget_replacement() returns trigger language plpgsql as $$
begin
  if tg_argv[0] = 'owner' and new.replaces is not distinct from old.replaces then
    new.replaces = null;
  end if;
  if new.replaced_by is not distinct from old.replaced_by then
    new.replaced_by = null;
  end if;
  return new;
end $$;
create trigger sensor_forgets_replacement before update of owner_id, is_deleted on sensor for each row
  when ((old.replaced_by is not null or old.replaces is not null)
    and (old.owner_id <> new.owner_id or old.is_deleted <> new.is_deleted)) execute function forget_replacement('owner');
create trigger sensor_is_used_again before update of location_id on sensor for each row
  when (old.replaced_by is not null and new.location_id is not null) execute function forget_replacement('location');

-- What a recent replacement changed, so that it can be undone.
create table sensor_replacement (
  id uuid primary key,
  account_id uuid not null references account (id),
  at timestamptz not null,
  old_id text collate "C" not null,
  new_id text collate "C" not null,
  location_id uuid not null,
  -- The occupancy app of the location named the old sensor, and names the new one now.
  has_occupancy boolean not null,
  -- Rows of both sensors, their assignments and update tasks before, and their update tasks and change numbers after.
  before jsonb not null,
  after jsonb not null
);
create index sensor_replacement_at on sensor_replacement (at);
