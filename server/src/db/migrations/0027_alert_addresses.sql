-- Of an additional address, in lower case: how many mails it got before its holder confirmed that they are wanted, when that was, and
-- when its holder ended them.
alter table alert_ending rename to alert_address;
alter table alert_address alter column ended_at drop not null, add column mails int not null default 0, add column confirmed_at timestamptz;
