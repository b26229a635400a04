-- Locations, and their former time zones.
create table location (
  id uuid primary key,
  owner_id uuid not null references account (id),
  owner_path text collate "C" not null,
  name text not null,
  lat double precision,
  lng double precision,
  timezone text,
  address jsonb,
  country text,
  tags text[] not null default '{}',
  applications jsonb not null default '[]',
  monitoring_config jsonb,
  license_buildings boolean not null default false,
  license_occupancy boolean not null default false,
  is_deleted boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index location_by_name on location (name, id) where not is_deleted;
create index location_by_owner on location (owner_id);
create index location_name_trgm on location using gin (lower(name) gin_trgm_ops);
-- Undeleted and deleted rows are separate ranges of the index. A list that includes deleted rows reads two ranges, but no invisible
-- rows.
create index location_by_path on location (is_deleted, owner_path, id);

create trigger location_count_insert after insert on location
  referencing new table as new_rows for each statement execute function bump_owned_count('location');
create trigger location_count_delete after delete on location
  referencing old table as old_rows for each statement execute function bump_owned_count('location');
-- Skipped in transactions that move a whole subtree. They set `psp.counts_itself` and update the counters themselves.
create trigger location_count_move after update of owner_path, is_deleted on location for each row
  when ((old.owner_path is distinct from new.owner_path or old.is_deleted <> new.is_deleted)
    and coalesce(current_setting('psp.counts_itself', true), '') <> 'on')
  execute function move_owned_count('location');

-- Former time zones of a location. When the zone changes, stored data keeps its local times (ADR 0020).
create table location_former_zone (
  location_id uuid not null references location (id),
  -- The zone applies to data that starts before this instant, but not before the previous row's instant.
  until_ms bigint not null,
  -- Null if unknown, in which case UTC is used.
  zone text,
  primary key (location_id, until_ms)
);
