-- Totals per account for the list of customers (ADR 0014): sensors by state and version, and yesterday's completeness. Writers only
-- append marks, so that they never wait for a shared counter. A job adds marked changes to the totals; until then, reads correct
-- the totals by the marked rows.

-- A sensor whose state may have changed. Append-only, as fact_mark.
create table sensor_mark (
  id bigint generated always as identity primary key,
  sensor_num integer not null
);

-- The state with which a sensor is part of `owner_total`.
create table counted_sensor (
  sensor_num integer primary key,
  owner_path text collate "C" not null,
  type text not null,
  -- The reported firmware version. Empty if none was reported.
  version text not null,
  is_offline boolean not null,
  has_error boolean not null,
  has_warning boolean not null,
  -- Has open issues from before its present owner. Who sees them depends on the location, so reads examine them themselves.
  has_former_issue boolean not null
);
create index counted_sensor_special on counted_sensor (sensor_num) where has_former_issue;

-- Sums of `counted_sensor`.
create table owner_total (
  owner_path text collate "C" not null,
  type text not null,
  version text not null,
  sensors integer not null,
  offline integer not null,
  errors integer not null,
  warnings integer not null,
  primary key (owner_path, type, version)
) with (fillfactor = 70);

-- Sensors with an older last contact are counted as offline.
create table offline_limit (
  last_contact_at timestamptz not null
);
insert into offline_limit values ('-infinity');

-- Versions that sensors have reported, with their precedence as in firmware. Null if the version is not SemVer.
create table reported_version (
  type text not null,
  version text not null,
  precedence text collate "C",
  primary key (type, version)
);

create function mark_sensor() returns trigger language plpgsql as $$
begin
  insert into sensor_mark (sensor_num) values (new.num);
  return null;
end $$;
create function mark_sensors() returns trigger language plpgsql as $$
begin
  insert into sensor_mark (sensor_num) select num from changed;
  return null;
end $$;
create trigger sensor_marked_new after insert on sensor
  referencing new table as changed for each statement execute function mark_sensors();
create trigger sensor_marked_gone after delete on sensor
  referencing old table as changed for each statement execute function mark_sensors();
-- Connected sensors renew their last contact every minute, which changes none of these columns.
create trigger sensor_marked after update on sensor for each row
  when (old.silent_since is distinct from new.silent_since or old.never_connected <> new.never_connected
    or old.owner_path <> new.owner_path or old.is_deleted <> new.is_deleted or old.type <> new.type
    or old.running_version is distinct from new.running_version or old.visible_from <> new.visible_from)
  execute function mark_sensor();

create function mark_sensor_of_issue() returns trigger language plpgsql as $$
begin
  insert into sensor_mark (sensor_num) values (coalesce(new.sensor_num, old.sensor_num));
  return null;
end $$;
create trigger sensor_issue_marks after insert or update or delete on sensor_issue
  for each row execute function mark_sensor_of_issue();

insert into counted_sensor
  select s.num, s.owner_path, s.type, coalesce(s.running_version, ''), s.never_connected, false, false, false
  from sensor s where not s.is_deleted;
insert into owner_total
  select owner_path, type, version, count(*), count(*) filter (where is_offline), 0, 0
  from counted_sensor group by owner_path, type, version;
insert into sensor_mark (sensor_num) select distinct sensor_num from sensor_issue;
-- The job looks up the precedence of versions that are not listed.

create table location_mark (
  id bigint generated always as identity primary key,
  location_id uuid not null
);

-- Yesterday's completeness of a location, with which it is part of `owner_completeness`.
create table counted_location (
  location_id uuid primary key,
  owner_path text collate "C" not null,
  known_ms bigint not null,
  expected_ms bigint not null,
  -- When to compute it again: at the next local midnight, or earlier because of counts that arrive late.
  check_at timestamptz not null
);
create index counted_location_due on counted_location (check_at);

-- Sums of `counted_location`.
create table owner_completeness (
  owner_path text collate "C" primary key,
  known_ms bigint not null,
  expected_ms bigint not null
) with (fillfactor = 70);

create function mark_location() returns trigger language plpgsql as $$
begin
  insert into location_mark (location_id) values (new.id);
  return null;
end $$;
create trigger location_marked_new after insert on location for each row execute function mark_location();
create trigger location_marked after update of owner_path, is_deleted, timezone on location for each row
  when (old.owner_path <> new.owner_path or old.is_deleted <> new.is_deleted or old.timezone is distinct from new.timezone)
  execute function mark_location();
insert into location_mark (location_id) select id from location where not is_deleted;

-- Number of children and last sign-in of whole subtrees, as index-only scans.
create index account_subtree on account (path) include (id, role_id, is_deleted, last_seen_at);
