-- Credentials (logins of accounts) and what belongs to them: sessions, known browsers, tickets, and rate limits for mails.
create table credential (
  id uuid primary key,
  account_id uuid not null references account (id),
  email text not null,
  -- Null until the person chooses one.
  password_hash text,
  step smallint not null check (step between -2 and 2),
  legal jsonb,
  -- SHA-256 of the registration link's token and of the email confirmation code. Both expire at the same time.
  reg_token bytea unique,
  verify_token bytea unique,
  token_expires_at timestamptz,
  failed_logins integer not null default 0,
  position integer not null default 0,
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  -- Null for a sign-up. Sign-ups, unlike invitations, do not expire, and the button "That wasn't me" deletes the account only after a
  -- sign-up.
  invited_at timestamptz,
  deleted_at timestamptz
);
create unique index credential_email on credential (lower(email)) where not is_deleted;
create index credential_by_account on credential (account_id, position);
create index credential_email_trgm on credential using gin (lower(email) gin_trgm_ops);
create index credential_invited on credential (invited_at) where step = 0 and not is_deleted;
create index credential_to_purge on credential (deleted_at) where is_deleted;

create table session (
  id uuid primary key,
  token_hash bytea not null unique,
  account_id uuid not null references account (id),
  credential_id uuid not null references credential (id),
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  user_agent text
);
create index session_by_account on session (account_id);
create index session_by_credential on session (credential_id);
create index session_by_expiry on session (expires_at);

-- Browsers that signed in before. They are not slowed down while somebody else guesses the account's password.
create table known_browser (
  credential_id uuid not null references credential (id),
  browser_hash bytea not null,
  last_used_at timestamptz not null,
  primary key (credential_id, browser_hash)
);
create index known_browser_by_age on known_browser (last_used_at);

-- One-time tickets that open the live socket. They are stored so that any process can redeem a ticket of another one.
create table ticket (
  hash bytea primary key,
  session_id uuid not null references session (id) on delete cascade,
  expires_at timestamptz not null
);
create index ticket_by_expiry on ticket (expires_at);
create index ticket_by_session on ticket (session_id);

-- The latest password reset mail of a credential, and when its last reset mails were sent.
create table password_reset (
  credential_id uuid primary key references credential (id) on delete cascade,
  -- Digest of the link's nonce and of the password hash when the link was mailed. The link works only while this digest matches. Null
  -- after a successful reset.
  binding bytea,
  mailed_at timestamptz[] not null
);

-- When the holder of an email address was notified that somebody tried to sign up with it. At most three times an hour.
create table registration_notice (
  credential_id uuid primary key references credential (id) on delete cascade,
  mailed_at timestamptz[] not null
);
