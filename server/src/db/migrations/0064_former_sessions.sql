-- Sessions of devices that newer ones have replaced, so that a repeated birth is recognized (docs/rules/devices.md#external-broker).
-- serves from: 0059
alter table device add column former_sids text[] not null default '{}';
