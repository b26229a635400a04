-- Sensors: their state, their totals, the order of their changes, and the locations they were assigned to.

-- Numbers manual changes of sensors (ADR 0015). Each change takes a number while it holds the row lock. A batch takes its number when
-- it is requested, and skips sensors that were changed after that.
create sequence change_order;

create table sensor (
  id text collate "C" not null,
  -- Short key, because datapoints have many rows.
  num integer generated always as identity unique,
  -- The id as used in topics and host names. Unique, so that two sensors can never share a host name.
  wire_id text generated always as (lower(replace(id, ':', ''))) stored,
  owner_id uuid not null references account (id),
  owner_path text collate "C" not null,
  type text not null,
  location_id uuid references location (id),
  firmware_id uuid references firmware (id),
  firmware_running_id uuid references firmware (id),
  running_version text,
  info jsonb,
  groups text[] not null default '{}',
  claimable boolean not null default false,
  claiming_code text unique,
  license_monitoring boolean not null default false,
  monitoring_config jsonb,
  -- Data from before this instant does not belong to the current owner.
  visible_from timestamptz not null default '-infinity',
  con_at timestamptz,
  discon_at timestamptz,
  last_contact_at timestamptz,
  is_connected boolean not null default false,
  not_responding boolean not null default false,
  psconnect jsonb,
  vpn jsonb,
  rest_username text,
  rest_password_sealed bytea,
  update_task jsonb,
  install_state jsonb,
  is_deleted boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Numbers of the last manual change of each field, and of any field (`changed_mark`). Null without a change. The defaults protect a
  -- sensor created after a batch was requested: the batch neither deletes it nor changes its owner.
  owner_mark bigint default nextval('change_order'),
  location_mark bigint,
  firmware_mark bigint,
  groups_mark bigint,
  claimable_mark bigint,
  changed_mark bigint default nextval('change_order'),
  -- For manually created sensors: when they started to wait for their device. Null once the device has enrolled.
  awaited_since timestamptz,
  -- A page far down the list of the whole fleet skips over many ids. Including `is_deleted` makes that an index-only scan where
  -- autovacuum has run (ADR 0014).
  primary key (id) include (is_deleted)
) with (fillfactor = 80);
create index sensor_by_location on sensor (location_id) where location_id is not null;
create index sensor_by_type on sensor (type, id) where not is_deleted;
create index sensor_by_running on sensor (firmware_running_id, id) where firmware_running_id is not null;
create index sensor_by_owner on sensor (owner_id, id);
create index sensor_groups on sensor using gin (groups) where groups <> '{}';
create index sensor_wire_trgm on sensor using gin (wire_id gin_trgm_ops);
-- Finds the sensors that were connected when a gateway was killed.
create index sensor_connected on sensor (id) where is_connected;
-- Undeleted and deleted rows are separate ranges, as in location_by_path.
create index sensor_by_path on sensor (is_deleted, owner_path, id);
create index sensor_awaited on sensor (awaited_since) where awaited_since is not null and not is_deleted;
-- Partial on purpose (ADR 0014): a plain unique index would make `wire_id` a key column. The BEFORE UPDATE triggers below make
-- PostgreSQL treat every generated column as changed, so each update of a sensor would wait for the writers of its records, who
-- lock the key. A partial index ensures uniqueness without being a key.
create unique index sensor_wire_id_key on sensor (wire_id) where wire_id is not null;

-- Maintains totals (ADR 0014) of all sensors, with the kind 'sensor', and of each type, with the kind 'sensor ' and the type.
create function bump_sensor_count() returns trigger language plpgsql as $$
begin
  insert into owned_count as c (kind, owner_path, n)
    select k, owner_path, count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed, unnest(array['sensor', 'sensor ' || type]) k
    where not is_deleted group by k, owner_path order by k, owner_path
    on conflict (kind, owner_path) do update set n = c.n + excluded.n;
  return null;
end $$;
create trigger sensor_count_insert after insert on sensor
  referencing new table as changed for each statement execute function bump_sensor_count();
create trigger sensor_count_delete after delete on sensor
  referencing old table as changed for each statement execute function bump_sensor_count();

create function move_sensor_count() returns trigger language plpgsql as $$
begin
  if not old.is_deleted then
    update owned_count set n = n - 1
      where kind = any(array['sensor', 'sensor ' || old.type]) and owner_path = old.owner_path;
  end if;
  if not new.is_deleted then
    insert into owned_count as c (kind, owner_path, n)
      values ('sensor', new.owner_path, 1), ('sensor ' || new.type, new.owner_path, 1)
      on conflict (kind, owner_path) do update set n = c.n + 1;
  end if;
  return null;
end $$;
-- Fires only on these columns, because presence and reports update sensors all the time without changing the owner. If thousands of
-- sensors leave one owner in one transaction, the trigger would update that owner's counter thousands of times, each time more slowly.
-- Such a transaction sets `psp.counts_itself` and updates the counter itself, once (ADR 0014, 0015).
create trigger sensor_count_move after update of owner_path, is_deleted, type on sensor for each row
  when ((old.owner_path is distinct from new.owner_path or old.is_deleted <> new.is_deleted or old.type <> new.type)
    and coalesce(current_setting('psp.counts_itself', true), '') <> 'on')
  execute function move_sensor_count();

create function mark_change() returns trigger language plpgsql as $$
begin
  case tg_argv[0]
    when 'owner' then new.owner_mark = nextval('change_order');
    when 'location' then new.location_mark = nextval('change_order');
    when 'firmware' then new.firmware_mark = nextval('change_order');
    when 'groups' then new.groups_mark = nextval('change_order');
    when 'claimable' then new.claimable_mark = nextval('change_order');
    else new.changed_mark = nextval('change_order');
  end case;
  return new;
end $$;
-- These triggers fire even if an update sets a column to its current value, which counts as a change, too. Updates that set the mark
-- themselves, as batches do, skip the function. Reports of devices set none of these columns.
create trigger sensor_owner_mark before update of owner_id on sensor for each row
  when (new.owner_mark is not distinct from old.owner_mark) execute function mark_change('owner');
create trigger sensor_location_mark before update of location_id on sensor for each row
  when (new.location_mark is not distinct from old.location_mark) execute function mark_change('location');
create trigger sensor_firmware_mark before update of firmware_id on sensor for each row
  when (new.firmware_mark is not distinct from old.firmware_mark) execute function mark_change('firmware');
create trigger sensor_groups_mark before update of groups on sensor for each row
  when (new.groups_mark is not distinct from old.groups_mark) execute function mark_change('groups');
create trigger sensor_claimable_mark before update of claimable on sensor for each row
  when (new.claimable_mark is not distinct from old.claimable_mark) execute function mark_change('claimable');
create trigger sensor_changed_mark before update of version on sensor for each row
  when (new.changed_mark is not distinct from old.changed_mark) execute function mark_change('changed');

-- Assignments of sensors to locations. A count belongs to the location that its sensor was assigned to at that time.
create table sensor_location (
  sensor_num integer not null references sensor (num),
  from_at timestamptz not null,
  to_at timestamptz not null default 'infinity',
  location_id uuid not null references location (id),
  -- Start of the counts that belong to the location (ADR 0017). A sensor's first assignment also covers the time before it, as far
  -- back as the sensor had the same owner.
  counts_from timestamptz not null,
  primary key (sensor_num, from_at)
);
create index sensor_location_by_location on sensor_location (location_id, from_at);
