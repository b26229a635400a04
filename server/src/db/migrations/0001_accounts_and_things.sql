-- The tree of accounts, their roles, and everything that is owned.
-- Every owned row copies the owner's materialised path, so that one range over one index answers "may see" (ADR 0011).
create extension if not exists pg_trgm;

-- One label per account, five characters in base 62: no renumbering when an account is added, no lock on the parent.
create sequence account_label;

create table role (
  id uuid primary key,
  owner_id uuid not null,
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

create table account (
  id uuid primary key,
  name text not null,
  parent_id uuid references account (id),
  ancestor_ids uuid[] not null,
  path text collate "C" not null unique,
  role_id uuid references role (id),
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
  updated_at timestamptz not null default now()
);
create index account_by_role on account (role_id);
create index account_by_parent on account (parent_id);
create index account_by_name on account (name, id);
create index account_name_trgm on account using gin (lower(name) gin_trgm_ops);
alter table role add foreign key (owner_id) references account (id) deferrable initially deferred;
create index role_by_owner on role (owner_id);

create table credential (
  id uuid primary key,
  account_id uuid not null references account (id),
  email text not null,
  -- Null until the person chose one.
  password_hash text,
  step smallint not null check (step between -2 and 2),
  legal jsonb,
  -- SHA-256 of the registration link's token and of the e-mail confirmation code, with their expiry.
  reg_token bytea unique,
  verify_token bytea unique,
  token_expires_at timestamptz,
  failed_logins integer not null default 0,
  position integer not null default 0,
  is_deleted boolean not null default false,
  created_at timestamptz not null default now()
);
create unique index credential_email on credential (lower(email)) where not is_deleted;
create index credential_by_account on credential (account_id, position);
create index credential_email_trgm on credential using gin (lower(email) gin_trgm_ops);

create table session (
  id uuid primary key,
  token_hash bytea not null unique,
  account_id uuid not null references account (id),
  credential_id uuid not null references credential (id),
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  user_agent text
);
create index session_by_account on session (account_id);
create index session_by_credential on session (credential_id);
create index session_by_expiry on session (expires_at);

-- Browsers that signed in before: they may go on guessing-free while an account is under attack (decisions 4).
create table known_browser (
  credential_id uuid not null references credential (id),
  browser_hash bytea not null,
  last_used_at timestamptz not null,
  primary key (credential_id, browser_hash)
);

create table location (
  id uuid primary key,
  owner_id uuid not null references account (id),
  owner_path text collate "C" not null,
  name text not null,
  lat double precision,
  lng double precision,
  timezone text,
  address jsonb,
  country text,
  tags text[] not null default '{}',
  applications jsonb not null default '[]',
  monitoring_config jsonb,
  license_buildings boolean not null default false,
  license_occupancy boolean not null default false,
  is_deleted boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index location_by_path on location (owner_path, id) where not is_deleted;
create index location_by_name on location (name, id) where not is_deleted;
create index location_by_owner on location (owner_id);
create index location_name_trgm on location using gin (lower(name) gin_trgm_ops);

create table firmware (
  id uuid primary key,
  owner_id uuid not null references account (id),
  owner_path text collate "C" not null,
  type text not null,
  name text not null,
  -- Zero-padded form of the version; its order is the precedence of SemVer 2.0.
  precedence text collate "C" not null,
  children_can_view boolean not null default false,
  size bigint,
  md5 text,
  sha256 text,
  is_deleted boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index firmware_name on firmware (owner_id, type, name) where not is_deleted;
create index firmware_by_path on firmware (owner_path, id);
create index firmware_by_owner on firmware (owner_id);
create index firmware_for_children on firmware (owner_id) where children_can_view and not is_deleted;

create table init_token (
  id uuid primary key,
  owner_id uuid not null references account (id),
  owner_path text collate "C" not null,
  name text not null,
  firmware_id uuid references firmware (id),
  -- SHA-256 to check with, and the value encrypted at rest for those who may read it again.
  token_hash bytea not null unique,
  token_sealed bytea not null,
  is_deleted boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index init_token_by_path on init_token (owner_path, id);
create index init_token_by_owner on init_token (owner_id);

create table sensor (
  id text collate "C" primary key,
  -- Short key for the many rows of datapoints.
  num integer generated always as identity unique,
  -- As it stands in topics and host names; unique, so that two sensors can never share a host label.
  wire_id text generated always as (lower(replace(id, ':', ''))) stored unique,
  owner_id uuid not null references account (id),
  owner_path text collate "C" not null,
  type text not null,
  location_id uuid references location (id),
  firmware_id uuid references firmware (id),
  firmware_running_id uuid references firmware (id),
  running_version text,
  info jsonb,
  groups text[] not null default '{}',
  claimable boolean not null default false,
  claiming_code text unique,
  license_monitoring boolean not null default false,
  monitoring_config jsonb,
  -- Nothing older than this belongs to the present owner.
  visible_from timestamptz not null default '-infinity',
  con_at timestamptz,
  discon_at timestamptz,
  last_contact_at timestamptz,
  is_connected boolean not null default false,
  not_responding boolean not null default false,
  psconnect jsonb,
  vpn jsonb,
  rest_username text,
  rest_password_sealed bytea,
  update_task jsonb,
  install_state jsonb,
  is_deleted boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
) with (fillfactor = 80);
create index sensor_by_path on sensor (owner_path, id) where not is_deleted;
create index sensor_by_location on sensor (location_id) where location_id is not null;
create index sensor_by_type on sensor (type, id) where not is_deleted;
create index sensor_by_running on sensor (firmware_running_id, id) where firmware_running_id is not null;
create index sensor_by_owner on sensor (owner_id, id);
create index sensor_groups on sensor using gin (groups) where groups <> '{}';
create index sensor_wire_trgm on sensor using gin (wire_id gin_trgm_ops);

-- Which location a sensor was assigned to, and when: counts belong to the location of their time (decisions 13).
create table sensor_location (
  sensor_num integer not null references sensor (num),
  from_at timestamptz not null,
  to_at timestamptz not null default 'infinity',
  location_id uuid not null references location (id),
  primary key (sensor_num, from_at)
);
create index sensor_location_by_location on sensor_location (location_id, from_at);

-- Exact totals without counting: living rows per owner and kind, kept by triggers in the same transaction (ADR 0012).
create table owned_count (
  kind text not null,
  owner_path text collate "C" not null,
  n bigint not null,
  primary key (kind, owner_path)
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

create trigger sensor_count_insert after insert on sensor
  referencing new table as new_rows for each statement execute function bump_owned_count('sensor');
create trigger sensor_count_delete after delete on sensor
  referencing old table as old_rows for each statement execute function bump_owned_count('sensor');
create trigger location_count_insert after insert on location
  referencing new table as new_rows for each statement execute function bump_owned_count('location');
create trigger location_count_delete after delete on location
  referencing old table as old_rows for each statement execute function bump_owned_count('location');

-- Presence and reports update sensors all the time and never change whose they are: only these two columns wake a counter.
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
create trigger sensor_count_move after update of owner_path, is_deleted on sensor for each row
  when (old.owner_path is distinct from new.owner_path or old.is_deleted <> new.is_deleted)
  execute function move_owned_count('sensor');
create trigger location_count_move after update of owner_path, is_deleted on location for each row
  when (old.owner_path is distinct from new.owner_path or old.is_deleted <> new.is_deleted)
  execute function move_owned_count('location');

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

create table idempotency (
  account_id uuid not null,
  key text not null,
  request_hash bytea not null,
  reply jsonb,
  created_at timestamptz not null,
  primary key (account_id, key)
);
create index idempotency_by_age on idempotency (created_at);

create table mail_outbox (
  id uuid primary key,
  recipient text not null,
  subject text not null,
  text_body text not null,
  html_body text not null,
  queued_at timestamptz not null,
  not_before timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  sent_at timestamptz
);
create index mail_outbox_due on mail_outbox (not_before) where sent_at is null;
create index mail_outbox_sent on mail_outbox (sent_at) where sent_at is not null;

create table setting (
  name text primary key,
  value jsonb not null
);
