-- The list of customers reads one narrow row per account instead of one row per account, type and version.
alter table reported_version
  add column num integer generated always as identity,
  -- Older than the newest release that the root account shows to all others. Such sensors are counted in `owner_total.outdated`; reads
  -- correct it by the versions that are outdated for the caller only, or for the others only.
  add column is_outdated boolean not null default false;
-- The job computes the precedence of versions that were not listed, and which versions are outdated.
insert into reported_version (type, version)
  select distinct type, version from owner_total where version <> '' on conflict do nothing;

alter table owner_total rename to former_total;
create table owner_total (
  num integer generated always as identity primary key,
  owner_path text collate "C" not null unique,
  sensors integer not null,
  offline integer not null,
  errors integer not null,
  warnings integer not null,
  outdated integer not null
) with (fillfactor = 70);
insert into owner_total (owner_path, sensors, offline, errors, warnings, outdated)
  select owner_path, sum(sensors), sum(offline), sum(errors), sum(warnings), 0 from former_total
  group by owner_path order by owner_path;

-- Sensors of an account by reported version.
create table owner_version (
  version_num integer not null,
  owner_num integer not null,
  sensors integer not null,
  primary key (version_num, owner_num)
) with (fillfactor = 70);
insert into owner_version (version_num, owner_num, sensors)
  select v.num, t.num, f.sensors from former_total f join owner_total t using (owner_path) join reported_version v using (type, version)
  where f.sensors <> 0 order by t.num;
drop table former_total;
analyze owner_total, owner_version, reported_version;
