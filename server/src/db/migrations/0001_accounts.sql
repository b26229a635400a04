-- Accounts: a tree, stored as parent, list of ancestors and materialized path.
-- Owned rows of other tables copy their owner's path, so that one range of one index finds the visible rows (ADR 0007).
create extension if not exists pg_trgm;

-- One label of five base-62 characters per account. Adding an account renumbers nothing and takes no lock on the parent.
create sequence account_label;

create table account (
  id uuid primary key,
  name text not null,
  parent_id uuid references account (id),
  ancestor_ids uuid[] not null,
  path text collate "C" not null unique,
  -- The next migration adds the foreign key to role (id).
  role_id uuid,
  phone text,
  street text,
  street_number text,
  zip text,
  city text,
  country text,
  supplier text,
  readonly_address boolean not null default false,
  is_deleted boolean not null default false,
  last_seen_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  -- When the personal data of the deleted account was removed (ADR 0011).
  purged_at timestamptz
);
create index account_by_role on account (role_id);
create index account_by_parent on account (parent_id);
create index account_by_name on account (name, id);
create index account_name_trgm on account using gin (lower(name) gin_trgm_ops);
create index account_to_purge on account (deleted_at) where is_deleted and purged_at is null;
