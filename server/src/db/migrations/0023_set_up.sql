-- The set-up card of newcomers: a row for each login that does not want to see it any more (ADR 0006).
create table set_up_dismissal (
  credential_id uuid primary key references credential (id) on delete cascade,
  dismissed_at timestamptz not null
);
