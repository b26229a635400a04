-- Init tokens: credentials for enrollment, each with the firmware that a new device installs first.
create table init_token (
  id uuid primary key,
  owner_id uuid not null references account (id),
  owner_path text collate "C" not null,
  name text not null,
  firmware_id uuid references firmware (id),
  -- SHA-256 for verification, and the encrypted token for people who may view it again.
  token_hash bytea not null unique,
  token_sealed bytea not null,
  is_deleted boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index init_token_by_path on init_token (owner_path, id);
create index init_token_by_owner on init_token (owner_id);
