-- How many sensors of one type there are is asked for as often as how many there are: counted like these (ADR 0012). The
-- kind of such a counter is 'sensor ' and the type.
insert into owned_count (kind, owner_path, n)
  select 'sensor ' || type, owner_path, count(*) from sensor where not is_deleted group by 1, 2;

create function bump_sensor_count() returns trigger language plpgsql as $$
begin
  insert into owned_count as c (kind, owner_path, n)
    select k, owner_path, count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed, unnest(array['sensor', 'sensor ' || type]) k
    where not is_deleted group by k, owner_path order by k, owner_path
    on conflict (kind, owner_path) do update set n = c.n + excluded.n;
  return null;
end $$;
drop trigger sensor_count_insert on sensor;
drop trigger sensor_count_delete on sensor;
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
drop trigger sensor_count_move on sensor;
create trigger sensor_count_move after update of owner_path, is_deleted, type on sensor for each row
  when ((old.owner_path is distinct from new.owner_path or old.is_deleted <> new.is_deleted or old.type <> new.type)
    and coalesce(current_setting('psp.counts_itself', true), '') <> 'on')
  execute function move_sensor_count();

-- Whoever moves a subtree moves its counters as they are.
drop trigger location_count_move on location;
create trigger location_count_move after update of owner_path, is_deleted on location for each row
  when ((old.owner_path is distinct from new.owner_path or old.is_deleted <> new.is_deleted)
    and coalesce(current_setting('psp.counts_itself', true), '') <> 'on')
  execute function move_owned_count('location');
