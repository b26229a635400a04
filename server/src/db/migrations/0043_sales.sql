-- The id of a location in another system, and the sales of locations. Times are milliseconds since 1970 in UTC.
alter table location add external_id text;
create index location_by_external_id on location (external_id) where external_id is not null;
create index location_external_id_trgm on location using gin (searched_text(external_id) gin_trgm_ops)
  where external_id is not null;

-- One row per local hour or day of a location and owner. The owner is the location's owner when the row was written: later owners do
-- not see it, unless they may edit that account's locations.
create table sale (
  location_id uuid not null references location (id),
  start_ms bigint not null,
  owner_id uuid not null references account (id),
  end_ms bigint not null,
  is_day boolean not null,
  transactions integer not null,
  revenue numeric(12, 3) not null,
  currency text not null,
  staff_hours numeric(7, 2),
  -- A row of another owner that overlaps this one was written later. Those who may see both see only the later one.
  is_shadowed boolean not null default false,
  -- Numbers the writes.
  write_num bigint not null generated always as identity,
  -- Includes everything that sums need, so that they read the index only.
  primary key (location_id, start_ms, owner_id)
    include (end_ms, transactions, revenue, currency, staff_hours, is_shadowed, write_num)
) with (autovacuum_vacuum_insert_scale_factor = 0.02);
