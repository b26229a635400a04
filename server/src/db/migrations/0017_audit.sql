-- Audit log: who changed what and when, and the object before and after.
create table audit (
  id uuid primary key,
  at timestamptz not null,
  account_id uuid,
  request_id text not null,
  action text not null,
  object_type text not null,
  object_id text not null,
  owner_id uuid,
  owner_path text collate "C",
  before jsonb,
  after jsonb
);
create index audit_by_object on audit (object_type, object_id, at desc);
create index audit_by_path on audit (owner_path, at desc);
create index audit_by_who on audit (account_id, at desc);
create index audit_by_time on audit (at desc);

-- Removes the listed e-mail addresses (in lower case) from the credentials of an entry (ADR 0011).
create function without_emails(entry jsonb, emails text[]) returns jsonb language sql immutable as $$
  select case when jsonb_typeof(entry -> 'credentials') = 'array' then
    jsonb_set(entry, '{credentials}', coalesce((
      select jsonb_agg(case when lower(login ->> 'email') = any (emails) then login - 'email' else login end order by n)
      from jsonb_array_elements(entry -> 'credentials') with ordinality as one (login, n)), '[]'))
  else entry end
$$;
