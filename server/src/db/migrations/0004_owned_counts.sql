-- Exact totals without reading all rows: undeleted rows per owner and kind, updated by triggers in the same transaction (ADR 0014).
create table owned_count (
  -- 'location', 'sensor', or 'sensor ' followed by a type.
  kind text not null,
  owner_path text collate "C" not null,
  n bigint not null,
  -- A total is the sum of `n` over a range of this index. Including `n` makes it an index-only scan.
  primary key (kind, owner_path) include (n)
);

create function bump_owned_count() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into owned_count as c (kind, owner_path, n)
      select tg_argv[0], owner_path, count(*) from new_rows where not is_deleted group by owner_path order by owner_path
      on conflict (kind, owner_path) do update set n = c.n + excluded.n;
  elsif tg_op = 'DELETE' then
    insert into owned_count as c (kind, owner_path, n)
      select tg_argv[0], owner_path, -count(*) from old_rows where not is_deleted group by owner_path order by owner_path
      on conflict (kind, owner_path) do update set n = c.n + excluded.n;
  else
    insert into owned_count as c (kind, owner_path, n)
      select tg_argv[0], owner_path, sum(d) from (
        select owner_path, 1 as d from new_rows where not is_deleted
        union all
        select owner_path, -1 from old_rows where not is_deleted
      ) moved group by owner_path having sum(d) <> 0 order by owner_path
      on conflict (kind, owner_path) do update set n = c.n + excluded.n;
  end if;
  return null;
end $$;

create function move_owned_count() returns trigger language plpgsql as $$
begin
  if not old.is_deleted then
    update owned_count set n = n - 1 where kind = tg_argv[0] and owner_path = old.owner_path;
  end if;
  if not new.is_deleted then
    insert into owned_count as c (kind, owner_path, n) values (tg_argv[0], new.owner_path, 1)
      on conflict (kind, owner_path) do update set n = c.n + 1;
  end if;
  return null;
end $$;
