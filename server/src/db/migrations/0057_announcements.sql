-- Events of committed transactions, which every process reads in the order of commits (db/bus/announcements.ts). Unlogged, because a
-- crash of the database loses nothing else with them: `epoch` differs afterwards, and readers load everything again.
-- Not an identity column, because PostgreSQL 15 cannot read an unlogged sequence after a failover.
create sequence announcement_id;

create unlogged table announcement (
  xid xid8 not null default pg_current_xact_id(),
  id bigint not null default nextval('announcement_id'),
  origin uuid not null,
  name text not null,
  amount int not null,
  events jsonb not null,
  primary key (xid, id)
);
alter table announcement set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- `cluster` names the server and database, so that a copy elsewhere does not continue this log. Events of transactions before `floor`
-- may have been deleted.
create unlogged table announcement_log (
  is_only boolean primary key default true check (is_only),
  epoch uuid not null default gen_random_uuid(),
  cluster text not null,
  floor xid8 not null
);

-- Oldest running transactions at some times. Events can be deleted by the age of their commit with them.
create unlogged table announcement_mark (at timestamptz primary key, oldest xid8 not null);
