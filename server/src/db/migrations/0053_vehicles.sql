-- The place of each coach in its vehicle, copied from its settings section `group` whenever that is stored or deleted, so that
-- vehicles are listed without reading the sections.
create table coach (
  sensor_num integer primary key references sensor (num) on delete cascade,
  vehicle_id text collate "C" not null,
  sequence smallint not null,
  -- Parts of the coach as an array of {id, seats, standing}; these and the sums are null if a capacity is invalid.
  sections jsonb,
  seats bigint,
  standing bigint
);
create index coach_by_vehicle on coach (vehicle_id, sensor_num);

-- People in all parts of the coach; null unless each part was seen.
alter table vehicle_level add column persons bigint;

create function place_count(value jsonb) returns bigint language sql immutable as $$
  select case when jsonb_typeof(value) = 'number' then
    case when value::numeric between 0 and 1000000 and value::numeric = floor(value::numeric) then value::numeric::bigint end
  end
$$;

create function array_or_empty(value jsonb) returns jsonb language sql immutable as $$
  select case when jsonb_typeof(value) = 'array' then value else '[]' end
$$;

create function coach_from(num integer, answer jsonb) returns setof coach language sql stable as $$
  select num, place.vehicle_id, place.sequence::smallint,
    case when parts.valid then parts.sections end, case when parts.valid then parts.seats end,
    case when parts.valid then parts.standing end
  from (
    select case when jsonb_typeof(c -> 'vehicleId') = 'string' then c ->> 'vehicleId' end as vehicle_id,
      place_count(c -> 'carriageSequence') as sequence
    from (select answer -> 'values' -> 'coach' as c) given
  ) place
  cross join lateral (
    select jsonb_agg(jsonb_build_object('id', s -> 'id', 'seats', s -> 'seats', 'standing', s -> 'standing')) as sections,
      sum(place_count(s -> 'seats'))::bigint as seats, sum(place_count(s -> 'standing'))::bigint as standing,
      coalesce(bool_and(jsonb_typeof(s -> 'id') = 'string' and place_count(s -> 'seats') is not null
        and place_count(s -> 'standing') is not null), false)
        and sum(place_count(s -> 'seats')) + sum(place_count(s -> 'standing')) > 0 as valid
    from jsonb_array_elements(array_or_empty(answer -> 'values' -> 'sections')) s
  ) parts
  where length(place.vehicle_id) between 1 and 64 and place.sequence between 1 and 20
$$;

create function persons_in(zones jsonb, sections jsonb) returns bigint language sql immutable as $$
  select case when count(*) > 0 and count(seen.n) = count(*) then sum(seen.n)::bigint end
  from jsonb_array_elements(array_or_empty(sections)) s
  left join (
    select distinct on (z ->> 'id') z ->> 'id' as id, (z ->> 'n')::bigint as n
    from jsonb_array_elements(array_or_empty(zones)) with ordinality as given (z, at) order by z ->> 'id', at desc
  ) seen on seen.id = s ->> 'id'
$$;

create function count_persons() returns trigger language plpgsql as $$
begin
  new.persons := persons_in(new.zones, (select sections from coach where sensor_num = new.sensor_num));
  return new;
end $$;
create trigger vehicle_level_counts before insert or update of zones on vehicle_level for each row execute function count_persons();

create function place_coach() returns trigger language plpgsql as $$
declare
  num integer := case when tg_op = 'DELETE' then old.sensor_num else new.sensor_num end;
begin
  delete from coach where sensor_num = num and (tg_op = 'DELETE' or not exists (select from coach_from(num, new.answer)));
  if tg_op <> 'DELETE' then
    insert into coach select * from coach_from(num, new.answer)
    on conflict (sensor_num) do update set vehicle_id = excluded.vehicle_id, sequence = excluded.sequence,
      sections = excluded.sections, seats = excluded.seats, standing = excluded.standing;
  end if;
  -- Recomputes the persons.
  update vehicle_level set zones = zones where sensor_num = num;
  return null;
end $$;
create trigger section_places_coach after insert or update of answer on sensor_section for each row
  when (new.section = 'group') execute function place_coach();
create trigger section_removes_coach after delete on sensor_section for each row
  when (old.section = 'group') execute function place_coach();

insert into coach select c.* from sensor_section s cross join lateral coach_from(s.sensor_num, s.answer) c where s.section = 'group';
update vehicle_level set zones = zones;

-- Stored levels of a coach by quarter of an hour: their sum and number, with the place that the coach had.
create table coach_load (
  vehicle_id text collate "C" not null,
  slot_at timestamptz not null,
  sensor_num integer not null references sensor (num) on delete cascade,
  sequence smallint not null,
  persons bigint not null,
  levels integer not null,
  places bigint not null,
  primary key (vehicle_id, slot_at, sensor_num)
) with (fillfactor = 80);
create index coach_load_by_sensor on coach_load (sensor_num);
create index coach_load_by_age on coach_load using brin (slot_at);

create or replace function forget_level() returns trigger language plpgsql as $$
begin
  delete from vehicle_level where sensor_num = new.num;
  delete from coach_load where sensor_num = new.num;
  return null;
end $$;
