-- Remote sessions on the sensors' device pages, and the write requests sent in them.

-- Whether parent accounts need this account's consent to open device pages of its sensors.
alter table account add column remote_consent boolean not null default false;

create table remote_session (
  id uuid primary key,
  sensor_num integer not null references sensor (num),
  -- The sensor's owner when the session was requested. A session does not survive a hand-over.
  owner_id uuid not null references account (id),
  account_id uuid not null references account (id),
  -- The console session in which it was requested.
  session_id uuid not null,
  mode text not null,
  reason text not null,
  minutes integer not null,
  asked_at timestamptz not null,
  -- Null if no consent is needed, else 'waiting' or 'given'.
  consent text,
  token_hash bytea,
  token_until timestamptz,
  cookie_hash bytea,
  started_at timestamptz,
  until timestamptz,
  ended_at timestamptz,
  ended_why text
);
create unique index remote_session_by_token on remote_session (token_hash) where token_hash is not null;
create unique index remote_session_by_cookie on remote_session (cookie_hash) where cookie_hash is not null;
create index remote_session_by_sensor on remote_session (sensor_num, asked_at) where ended_at is null;
create index remote_session_by_end on remote_session (ended_at) where ended_at is not null;

-- One row per method and path, with the number of requests. Their content is not stored.
create table remote_write (
  session_id uuid not null references remote_session (id) on delete cascade,
  method text not null,
  path text not null,
  times integer not null default 1,
  primary key (session_id, method, path)
);

-- URL at which other processes reach this one, to relay requests for sensors whose tunnels it keeps open.
alter table tunnel_host add column url text;
