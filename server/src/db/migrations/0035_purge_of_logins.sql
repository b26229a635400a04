-- Logins are deleted for good some time after their removal: what refers to them must not stop that (ADR 0011).

-- What a login opened ends with it.
alter table session drop constraint session_credential_id_fkey,
  add foreign key (credential_id) references credential (id) on delete cascade;
alter table known_browser drop constraint known_browser_credential_id_fkey,
  add foreign key (credential_id) references credential (id) on delete cascade;
alter table display_token drop constraint display_token_credential_id_fkey,
  add foreign key (credential_id) references credential (id) on delete cascade;
create index display_token_by_login on display_token (credential_id);

-- The record of mails about issues stays; the purge replaces the recipient by words that name no one.
alter table alert drop constraint alert_credential_id_fkey,
  add foreign key (credential_id) references credential (id) on delete set null;
create index alert_by_login on alert (credential_id) where credential_id is not null;
