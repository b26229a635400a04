-- Which parts of a role came from which other role: its makers may give no more than their own has, and when that is
-- reduced, what it gave before stays given. A part is a right and whom it reaches, e.g. 'ownable.sensor.canEditObject me'.
create table role_gift (
  role_id uuid not null references role (id) on delete cascade,
  giver_id uuid not null references role (id) on delete cascade,
  parts text[] not null,
  primary key (role_id, giver_id)
);
create index role_gift_by_giver on role_gift (giver_id);

-- The same list as the contract's `partsOf`, for roles that are there already.
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

-- Who made a role is on record, what role they held then is not: the one that they hold now is the best guess. What root
-- gave needs no giver.
insert into role_gift (role_id, giver_id, parts)
  select made.id, maker.role_id, role_parts(made.permissions)
  from role made
  join lateral (
    select account_id from audit
    where object_type = 'role' and object_id = made.id::text and action = 'create' order by at limit 1
  ) trail on true
  join account maker on maker.id = trail.account_id and maker.parent_id is not null
  where maker.role_id is not null and maker.role_id <> made.id and cardinality(role_parts(made.permissions)) > 0;
