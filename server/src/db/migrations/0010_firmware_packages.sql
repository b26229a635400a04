-- The files of firmware: first a package that somebody is sending, then, with one commit, the file of a firmware.
create table firmware_package (
  id uuid primary key,
  -- Where the bytes are: in firmware_chunk, or as an object outside.
  kept_in text not null check (kept_in in ('postgres', 's3')),
  -- Length of all its chunks but the last.
  piece_bytes integer not null,
  -- Moves while bytes arrive; what stands still and belongs to no firmware is an orphan.
  touched_at timestamptz not null
);
create index firmware_package_by_age on firmware_package (touched_at, id);

create table firmware_chunk (
  package_id uuid not null references firmware_package (id) on delete cascade,
  n integer not null,
  data bytea not null,
  primary key (package_id, n)
);
-- Packages are compressed already, and pieces of a stored value can only be read from an uncompressed one.
alter table firmware_chunk alter column data set storage external;

alter table firmware
  add column package_id uuid unique references firmware_package (id),
  -- Ed25519 of the server over type, size and sums as they were when the file arrived.
  add column signature text,
  -- Rises with the precedence of the version among all firmware of a type; devices install nothing lower.
  add column seq bigint;
create index firmware_by_precedence on firmware (type, precedence);
