-- Roles, and the origin of their parts.
create table role (
  id uuid primary key,
  owner_id uuid not null references account (id) deferrable initially deferred,
  owner_path text collate "C" not null,
  name text not null,
  permissions jsonb not null default '{}',
  is_deleted boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index role_name on role (owner_id, lower(name)) where not is_deleted;
create index role_by_path on role (owner_path, id);
create index role_by_owner on role (owner_id);

alter table account add foreign key (role_id) references role (id);

-- Records which role the parts of a role came from. People can only grant parts of their own role, and granted parts remain when that
-- role is reduced later (ADR 0008). A part is a right with one element of its scope, such as 'ownable.sensor.canEditObject me'.
create table role_gift (
  role_id uuid not null references role (id) on delete cascade,
  giver_id uuid not null references role (id) on delete cascade,
  parts text[] not null,
  primary key (role_id, giver_id)
);
create index role_gift_by_giver on role_gift (giver_id);

-- Splits permissions into parts. Must return the same list as the contract's `partsOf`.
create function role_parts(permissions jsonb) returns text[] language sql immutable as $$
  with scopes (name, scope) as (
    select 'other.' || key, value from jsonb_each(permissions -> 'other')
    union all
    select 'owner.' || key, value from jsonb_each(permissions -> 'owner') where jsonb_typeof(value) = 'object'
    union all
    select 'ownable.' || t.key || '.' || r.key, r.value
      from jsonb_each(permissions -> 'ownable') t, jsonb_each(t.value) r where r.key <> 'canChangeOwner'
    union all
    select 'ownable.' || t.key || '.canChangeOwner.' || r.key, r.value
      from jsonb_each(permissions -> 'ownable') t, jsonb_each(t.value -> 'canChangeOwner') r
  )
  select array(
    select name || ' me' from scopes where scope ->> 'me' = 'true' and name <> 'owner.canViewOwner'
    union all
    select name || ' myChildren' from scopes where scope ->> 'myChildren' = 'true'
    union all
    select name || ' role ' || id from scopes, jsonb_array_elements_text(scope -> 'roles') id
    union all
    select name || ' level ' || n from scopes, generate_series(1, coalesce((scope ->> 'relativeAncestorLevel')::int, 0)) n
    union all
    select 'owner.canCreateOwner' where permissions -> 'owner' ->> 'canCreateOwner' = 'true'
  )
$$;
