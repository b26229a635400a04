-- Additional addresses: how many mails about issues they got before their holders confirmed that they want them, and when that was.
create table alert_address (recipient text primary key, mails int not null default 0, confirmed_at timestamptz);
