-- Additional addresses, in lower case. Stores how many mails were sent before the holder confirmed the address, and when the holder
-- confirmed it or unsubscribed.
alter table alert_ending rename to alert_address;
alter table alert_address alter column ended_at drop not null, add column mails int not null default 0, add column confirmed_at timestamptz;
