-- Events, and the locations that they name.
create table event (
  id uuid primary key,
  owner_id uuid not null references account (id),
  owner_path text collate "C" not null,
  name text not null,
  -- Days since 1970, both inclusive.
  first_day integer not null,
  last_day integer not null check (last_day >= first_day),
  scope_kind text not null check (scope_kind in ('locations', 'tag', 'owner')),
  -- The ids of event_location, for the audit log.
  location_ids uuid[] not null default '{}',
  tag text check ((tag is not null) = (scope_kind = 'tag')),
  -- Normalized like location.tags_search, with the same separators.
  tag_search text generated always as (E'\n' || searched_text(tag) || E'\n') stored,
  exclude_from_comparison boolean not null default false,
  is_deleted boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  name_search text not null generated always as (searched_text(name)) stored,
  name_sort text collate "C" not null generated always as (sorted_text(name)) stored
);
create index event_by_path on event (owner_path, id);
create index event_by_owner on event (owner_id, first_day);
create index event_by_first_day on event (first_day, id) where not is_deleted;

create table event_location (
  event_id uuid not null references event (id),
  location_id uuid not null references location (id),
  -- The location's owner when it was named.
  owner_id uuid not null references account (id),
  primary key (event_id, location_id)
);
create index event_location_by_location on event_location (location_id);
