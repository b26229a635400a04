-- Removed logins are permanently deleted after some time, which foreign keys must not prevent (ADR 0011).

alter table session drop constraint session_credential_id_fkey,
  add foreign key (credential_id) references credential (id) on delete cascade;
alter table known_browser drop constraint known_browser_credential_id_fkey,
  add foreign key (credential_id) references credential (id) on delete cascade;
alter table display_token drop constraint display_token_credential_id_fkey,
  add foreign key (credential_id) references credential (id) on delete cascade;
create index display_token_by_login on display_token (credential_id);

-- Alerts outlive the login. The purge replaces their recipient with an anonymous text.
alter table alert drop constraint alert_credential_id_fkey,
  add foreign key (credential_id) references credential (id) on delete set null;
create index alert_by_login on alert (credential_id) where credential_id is not null;
