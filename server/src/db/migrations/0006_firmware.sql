-- Firmware and its files: a package while somebody uploads it, and, from one commit on, the file of a firmware (ADR 0018).
create table firmware_package (
  id uuid primary key,
  -- Where the bytes are: in firmware_chunk, or as an object outside.
  kept_in text not null check (kept_in in ('postgres', 's3')),
  -- Length of all its chunks but the last.
  piece_bytes integer not null,
  -- Moves while bytes arrive; a package whose time stands still and that belongs to no firmware is an orphan.
  touched_at timestamptz not null
);
create index firmware_package_by_age on firmware_package (touched_at, id);

create table firmware_chunk (
  package_id uuid not null references firmware_package (id) on delete cascade,
  n integer not null,
  data bytea not null,
  primary key (package_id, n)
);
-- Packages are compressed already, and ranges of a stored value can only be read from an uncompressed one.
alter table firmware_chunk alter column data set storage external;

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
  updated_at timestamptz not null default now(),
  package_id uuid unique references firmware_package (id),
  -- Ed25519 signature of the server over type, size and checksums as they were when the file arrived.
  signature text,
  -- Rises with the precedence of the version among all firmware of a type; devices install nothing lower.
  seq bigint
);
create unique index firmware_name on firmware (owner_id, type, name) where not is_deleted;
create index firmware_by_path on firmware (owner_path, id);
create index firmware_for_children on firmware (owner_id) where children_can_view and not is_deleted;
create index firmware_by_precedence on firmware (type, precedence);
-- The numbers of pre-releases are drawn among what one owner and its ancestors uploaded: read owner by owner, in order
-- (ADR 0018). Queries by owner alone use it, too.
create index firmware_order on firmware (owner_id, type, precedence);
