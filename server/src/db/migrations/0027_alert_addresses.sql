-- Additional addresses, in lower case: the number of mails before the holder confirmed the address, when the holder confirmed it, and
-- when the holder unsubscribed.
alter table alert_ending rename to alert_address;
alter table alert_address alter column ended_at drop not null, add column mails int not null default 0, add column confirmed_at timestamptz;
