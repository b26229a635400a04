-- Statistics of the dashboard without reading all sensors (ADR 0014). What they count about a sensor depends on its row alone, so
-- triggers store each difference as a row of its own, and no writer waits for a shared counter. A job adds the differences to the sums.
-- serves from: 0059

-- Undeleted sensors per owner, by what is true of them. A statistic without values has the value ''.
create table sensor_stat (
  stat text not null,
  owner_path text collate "C" not null,
  value text not null,
  n bigint not null,
  -- A read sums a range of this index.
  primary key (owner_path, stat, value) include (n)
);

-- Differences that are not in the sums yet.
create table sensor_stat_change (
  stat text not null,
  owner_path text collate "C" not null,
  value text not null,
  n integer not null
);
create index sensor_stat_change_by_path on sensor_stat_change (owner_path);

-- In hours since 1970.
create function hour_of(timestamptz) returns text language sql immutable as $$
  select floor(extract(epoch from $1) / 3600)::bigint::text
$$;

create function stats_of(sensor) returns table (stat text, value text) language sql stable as $$
  select v.stat, v.value from (values
    ('type', $1.type),
    ('version', $1.running_version),
    ('monitored', case when $1.license_monitoring then '' end),
    ('installation', $1.installation),
    ('not responding', case when $1.is_connected and $1.not_responding then '' end),
    ('never connected', case when $1.never_connected then '' end),
    ('silent', hour_of($1.silent_since))
  ) v (stat, value) where v.value is not null and not $1.is_deleted
$$;

create function note_stats() returns trigger language plpgsql as $$
begin
  insert into sensor_stat_change (stat, owner_path, value, n)
    select stat, owner_path, value, sum(n) from (
      select f.stat, old.owner_path, f.value, -1 as n from stats_of(old) f
      union all select f.stat, new.owner_path, f.value, 1 from stats_of(new) f
    ) d group by stat, owner_path, value having sum(n) <> 0;
  return null;
end $$;
-- Quicker, for all sensors may connect at once.
create function note_connection() returns trigger language plpgsql as $$
begin
  insert into sensor_stat_change (stat, owner_path, value, n)
    select v.stat, new.owner_path, v.value, v.n from (values
      ('silent', hour_of(old.silent_since), -1),
      ('silent', hour_of(new.silent_since), 1),
      ('never connected', '', new.never_connected::int - old.never_connected::int),
      ('not responding', '',
        (new.is_connected and new.not_responding)::int - (old.is_connected and old.not_responding)::int)
    ) v (stat, value, n) where v.value is not null and v.n <> 0;
  return null;
end $$;
create function note_all_stats() returns trigger language plpgsql as $$
begin
  insert into sensor_stat_change (stat, owner_path, value, n)
    select f.stat, s.owner_path, f.value, count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed s cross join lateral stats_of(s::sensor) f group by f.stat, s.owner_path, f.value;
  return null;
end $$;
create trigger sensor_stat_new after insert on sensor
  referencing new table as changed for each statement execute function note_all_stats();
create trigger sensor_stat_gone after delete on sensor
  referencing old table as changed for each statement execute function note_all_stats();
-- A transaction that moves a subtree notes its sums itself.
create trigger sensor_stat_changed after update on sensor for each row
  when ((old.owner_path <> new.owner_path or old.is_deleted <> new.is_deleted or old.type <> new.type
    or old.running_version is distinct from new.running_version or old.installation is distinct from new.installation
    or old.license_monitoring <> new.license_monitoring)
    and coalesce(current_setting('psp.notes_stats_itself', true), '') <> 'on')
  execute function note_stats();
-- Connected sensors renew their last contact every minute, which changes none of these columns.
create trigger sensor_stat_connection after update on sensor for each row
  when ((old.silent_since is distinct from new.silent_since or old.never_connected <> new.never_connected
    or (old.is_connected and old.not_responding) <> (new.is_connected and new.not_responding))
    and not (old.owner_path <> new.owner_path or old.is_deleted <> new.is_deleted or old.type <> new.type
    or old.running_version is distinct from new.running_version or old.installation is distinct from new.installation
    or old.license_monitoring <> new.license_monitoring)
    and not new.is_deleted)
  execute function note_connection();
