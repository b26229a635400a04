-- Passwords that an external broker has not confirmed yet, and passwords that a restored database does not know
-- (docs/rules/devices.md#enrollment, docs/rules/backup.md#after-a-restore).
-- serves from: 0059
alter table device add column is_confirmed boolean not null default true, add column proved_hash bytea, add column restored_to timestamptz;
