-- One-time tickets for opening the live socket; in the database, so that any process may redeem what another gave out.
create table ticket (
  hash bytea primary key,
  session_id uuid not null references session (id) on delete cascade,
  expires_at timestamptz not null
);
create index ticket_by_expiry on ticket (expires_at);
create index ticket_by_session on ticket (session_id);
create index known_browser_by_age on known_browser (last_used_at);
