-- Firmware and its files. An upload creates a package. The transaction that creates the firmware links the package as the firmware's
-- file (ADR 0018).
create table firmware_package (
  id uuid primary key,
  -- Whether the bytes are in firmware_chunk or in an S3 object.
  kept_in text not null check (kept_in in ('postgres', 's3')),
  -- Length of each chunk except the last.
  piece_bytes integer not null,
  -- Updated while bytes arrive. A package that is no longer updated and belongs to no firmware is an orphan.
  touched_at timestamptz not null
);
create index firmware_package_by_age on firmware_package (touched_at, id);

create table firmware_chunk (
  package_id uuid not null references firmware_package (id) on delete cascade,
  n integer not null,
  data bytea not null,
  primary key (package_id, n)
);
-- Stored uncompressed, because packages are compressed already, and PostgreSQL can read ranges of uncompressed values only.
alter table firmware_chunk alter column data set storage external;

create table firmware (
  id uuid primary key,
  owner_id uuid not null references account (id),
  owner_path text collate "C" not null,
  type text not null,
  name text not null,
  -- Zero-padded form of the version. Its text order is the precedence of SemVer 2.0.
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
  -- The server's Ed25519 signature of type, size and checksums, made when the file arrived.
  signature text,
  -- Increases with the version's precedence among all firmware of a type. Devices don't install firmware with a lower number.
  seq bigint
);
create unique index firmware_name on firmware (owner_id, type, name) where not is_deleted;
create index firmware_by_path on firmware (owner_path, id);
create index firmware_for_children on firmware (owner_id) where children_can_view and not is_deleted;
create index firmware_by_precedence on firmware (type, precedence);
-- Computing the sequence number of a pre-release reads the firmware of its owner and each ancestor in order (ADR 0018). Queries by
-- owner alone use this index, too.
create index firmware_order on firmware (owner_id, type, precedence);
