-- Displays of the occupancy app (ADR 0023): their tokens, and the data to reconstruct what a display should have shown at any time.

create function occupancy_app_of(applications jsonb) returns jsonb language sql immutable parallel safe as $$
  select jsonb_path_query_first(applications, '$[*] ? (@.type == "ps-occupancy-app" || @.type == "occupancy_meas")')
$$;

-- The settings that a location's count depends on, over time. Triggers write them whenever the location changes.
create table occupancy_setting (
  location_id uuid not null references location (id),
  from_at timestamptz not null,
  -- Whether the app is enabled and licensed, and the location is not deleted.
  runs boolean not null,
  -- The app's settings as stored, without the texts of the display (`frontend`).
  settings jsonb not null,
  timezone text,
  primary key (location_id, from_at)
);

create function note_occupancy_setting() returns trigger language plpgsql as $$
declare
  app jsonb := occupancy_app_of(new.applications);
  own occupancy_setting;
  last occupancy_setting;
begin
  own.runs := coalesce(app ->> 'enabled', '') = 'true' and (new.license_buildings or new.license_occupancy) and not new.is_deleted;
  own.settings := coalesce(app -> 'settings', '{}') - 'frontend';
  select * into last from occupancy_setting where location_id = new.id order by from_at desc limit 1;
  if last.location_id is null and app is null then return null; end if;
  if (last.runs, last.settings, last.timezone) is not distinct from (own.runs, own.settings, new.timezone) then return null; end if;
  insert into occupancy_setting values (new.id, new.updated_at, own.runs, own.settings, new.timezone)
    on conflict (location_id, from_at) do update
      set runs = excluded.runs, settings = excluded.settings, timezone = excluded.timezone;
  return null;
end $$;
create trigger location_occupancy_insert after insert on location for each row
  when (new.applications <> '[]') execute function note_occupancy_setting();
create trigger location_occupancy_update
  after update of applications, timezone, license_buildings, license_occupancy, is_deleted on location for each row
  when (new.applications <> '[]' or old.applications <> '[]') execute function note_occupancy_setting();

insert into occupancy_setting
  select id, updated_at, coalesce(occupancy_app_of(applications) ->> 'enabled', '') = 'true'
      and (license_buildings or license_occupancy) and not is_deleted,
    coalesce(occupancy_app_of(applications) -> 'settings', '{}') - 'frontend', timezone
  from location where occupancy_app_of(applications) is not null;

-- When sensors of locations with the occupancy app were not connected. `to_at` is null while an outage lasts. After the
-- gateway starts, each sensor is treated as not connected until it sends something, because its counts before that are unknown.
create table occupancy_outage (
  sensor_num integer not null references sensor (num),
  from_at timestamptz not null,
  to_at timestamptz,
  primary key (sensor_num, from_at)
);
create unique index occupancy_outage_open on occupancy_outage (sensor_num) where to_at is null;

-- Latest report of the people in and out since the end of a sensor's last record. Stored so that a restart does not lose it.
create table occupancy_flow (
  sensor_num integer primary key references sensor (num),
  since_ms bigint not null,
  received_ms bigint not null,
  n_in integer not null,
  n_out integer not null
) with (fillfactor = 50);

-- People counts that were set manually.
create table occupancy_correction (
  id uuid primary key,
  location_id uuid not null references location (id),
  at_ms bigint not null,
  count integer not null,
  note text,
  account_id uuid not null references account (id),
  -- People in and out that sensors had already counted in unfinished records, with the start of each record. These records will include
  -- the same people again.
  flows jsonb not null
);
create index occupancy_correction_by_time on occupancy_correction (location_id, at_ms);

-- What was actually sent to displays, whenever the state changed between "may enter", "wait" and "unknown".
create table occupancy_shown (
  location_id uuid not null references location (id),
  at_ms bigint not null,
  state text not null,
  count integer not null,
  max_objects integer not null,
  primary key (location_id, at_ms)
);

-- Tokens of displays. Each gives access to one location's display on behalf of an account, while the account may view the location.
create table display_token (
  id uuid primary key,
  token_hash bytea not null unique,
  location_id uuid not null references location (id),
  account_id uuid not null references account (id),
  credential_id uuid not null references credential (id),
  created_at timestamptz not null,
  last_used_at timestamptz not null
);
-- Links that have been opened, by the digest of their key. Revoked links no longer work.
create table display_link (
  location_id uuid not null references location (id),
  key_hash bytea not null,
  is_revoked boolean not null default false,
  primary key (location_id, key_hash)
);
create index display_token_by_location on display_token (location_id);
create index display_token_by_use on display_token (last_used_at);
