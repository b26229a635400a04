-- Logins that have dismissed the set-up card for new accounts (ADR 0006).
create table set_up_dismissal (
  credential_id uuid primary key references credential (id) on delete cascade,
  dismissed_at timestamptz not null
);
