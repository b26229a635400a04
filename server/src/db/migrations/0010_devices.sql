-- What the gateway knows of a device beside the sensor's own row: its secret, its session, and which records are stored.
create table device (
  sensor_num integer primary key references sensor (num),
  -- SHA-256 of the 256-bit password; the previous one stays valid for a while, in case the answer got lost.
  secret_hash bytea not null,
  previous_hash bytea,
  previous_until timestamptz,
  -- Proves the same device when it enrolls again.
  public_key text,
  init_token_id uuid references init_token (id),
  enrolled_at timestamptz not null,
  -- Session of the newest birth; a death with another one is outdated.
  sid text,
  epoch text,
  caps text[] not null default '{}',
  desired_rev integer not null default 0,
  desired jsonb,
  reported jsonb,
  -- Whether the device signed a certificate request with its key; a key that was only named proves nothing against one that
  -- signed (ADR 0016).
  key_is_proved boolean not null default false
) with (fillfactor = 80);

-- Devices that get a new password because their sensor changed owners (ADR 0016). The row is deleted when the device has
-- connected with it.
create table device_renewal (
  sensor_num integer primary key references device (sensor_num) on delete cascade,
  -- All three null until the device is there to be notified: the order, and its password as a hash and, sealed, to be sent again.
  id uuid,
  secret_hash bytea,
  secret_sealed bytea,
  check (num_nulls(id, secret_hash, secret_sealed) in (0, 3))
);

-- Records have numbers; what is stored of a buffer is a set of ranges, so that a repetition costs nothing and holes are known.
create table device_epoch (
  sensor_num integer not null references sensor (num),
  epoch text collate "C" not null,
  stored int8multirange not null default '{}',
  -- The oldest record that the device still holds: below it there are no holes to fill.
  first_q bigint not null default 1,
  touched_at timestamptz not null,
  primary key (sensor_num, epoch)
) with (fillfactor = 70);

-- Records that were refused for their content; acknowledged to the device all the same. Of each sensor the newest thousand
-- are kept, and none for longer than thirty days: both are found by an index.
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
