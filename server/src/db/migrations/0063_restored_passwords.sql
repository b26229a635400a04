-- Devices may have passwords that a restored database does not know (docs/rules/backup.md#after-a-restore).
-- serves from: 0059
alter table device add column restored_to timestamptz;
