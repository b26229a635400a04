-- Settings sections of ZOD and PS.C1 as last read from the sensor, without secrets.
create table sensor_section (
  sensor_num integer not null references sensor (num) on delete cascade,
  section text not null,
  answer jsonb not null,
  read_at timestamptz not null,
  primary key (sensor_num, section)
);

-- Changes that may have cut the connection. Each change is confirmed over the first tunnel that opens after it, or else
-- the sensor reverts the change.
create table section_confirmation (
  sensor_num integer primary key references sensor (num) on delete cascade,
  section text not null,
  rev bigint not null,
  set_at timestamptz not null,
  until timestamptz not null
);

-- These settings belong to the owner at the time they were read. The next owner must not see them.
create function forget_sections() returns trigger language plpgsql as $$
begin
  delete from sensor_section where sensor_num = new.num;
  delete from section_confirmation where sensor_num = new.num;
  return null;
end $$;
create trigger sensor_forgets_sections after update of owner_id, is_deleted on sensor for each row
  when (old.owner_id <> new.owner_id or old.is_deleted <> new.is_deleted) execute function forget_sections();
