-- A location's time zones of before: what was stored under one keeps its local times, whatever zone comes next.
create table location_former_zone (
  location_id uuid not null references location (id),
  -- What starts before this instant, and not before the row below it, was stored under this zone.
  until_ms bigint not null,
  -- Null where none was known, which reads as UTC.
  zone text,
  primary key (location_id, until_ms)
);
