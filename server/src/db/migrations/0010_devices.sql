-- The gateway's data about devices, in addition to the sensor's row: secret, session, and stored record numbers.
create table device (
  sensor_num integer primary key references sensor (num),
  -- SHA-256 of the 256-bit password. The previous password stays valid for a while, in case the device did not get the response.
  secret_hash bytea not null,
  previous_hash bytea,
  previous_until timestamptz,
  -- Proves the device's identity when it enrolls again.
  public_key text,
  init_token_id uuid references init_token (id),
  enrolled_at timestamptz not null,
  -- Session id of the latest birth. A death with another session id is outdated.
  sid text,
  epoch text,
  caps text[] not null default '{}',
  desired_rev integer not null default 0,
  desired jsonb,
  reported jsonb,
  -- Whether the device has signed a certificate request with its key. If so, it must sign again to prove its identity; naming the
  -- public key is not enough (ADR 0016).
  key_is_proved boolean not null default false
) with (fillfactor = 80);

-- Devices that get a new password because their sensor changed owners (ADR 0016). The row is deleted when the device has connected
-- with the new password.
create table device_renewal (
  sensor_num integer primary key references device (sensor_num) on delete cascade,
  -- Id of the renewal, and the new password: hashed, and encrypted for sending it again. All null until the device can be notified.
  id uuid,
  secret_hash bytea,
  secret_sealed bytea,
  check (num_nulls(id, secret_hash, secret_sealed) in (0, 3))
);

-- Ranges of the stored record numbers of each buffer. They reveal gaps and, without a lookup of records, repeated numbers.
create table device_epoch (
  sensor_num integer not null references sensor (num),
  epoch text collate "C" not null,
  stored int8multirange not null default '{}',
  -- The oldest record that the device still has; gaps below it can't be filled any more.
  first_q bigint not null default 1,
  touched_at timestamptz not null,
  primary key (sensor_num, epoch)
) with (fillfactor = 70);

-- Records that were acknowledged to the device, but refused because of their content. The newest thousand of each sensor are kept, for
-- at most thirty days. Each limit has its index.
create table dead_letter (
  id bigint generated always as identity primary key,
  sensor_num integer not null references sensor (num),
  at timestamptz not null,
  ep text not null,
  q bigint not null,
  reason text not null,
  record jsonb not null,
  unique (sensor_num, ep, q)
);
create index dead_letter_by_time on dead_letter (sensor_num, at, id);
create index dead_letter_by_age on dead_letter (at);
