-- The session whose records a buffer receives, because an external broker may deliver records before the birth of their session
-- (docs/rules/devices.md#external-broker). `awaited_above`: highest number stored before that session, until its birth arrives;
-- `awaited_at`: when its first records arrived.
-- serves from: 0059
alter table device_epoch
  add column sid text,
  add column former_sids text[] not null default '{}',
  add column awaited_above int8,
  add column awaited_at timestamptz;
