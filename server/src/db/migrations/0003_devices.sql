-- What the gateway knows of a device beside the sensor's own row: its secret, its session, and which records are stored.
create table device (
  sensor_num integer primary key references sensor (num),
  -- SHA-256 of the 256-bit password; the one before stays good for a while, in case the answer got lost.
  secret_hash bytea not null,
  previous_hash bytea,
  previous_until timestamptz,
  -- Proves the same device when it enrols again.
  public_key text,
  init_token_id uuid references init_token (id),
  enrolled_at timestamptz not null,
  -- Session of the newest birth; a death with another one is an old story.
  sid text,
  epoch text,
  caps text[] not null default '{}',
  desired_rev integer not null default 0,
  desired jsonb,
  reported jsonb
) with (fillfactor = 80);

-- Records have numbers; what is stored of a buffer is a set of ranges, so that a repeat costs nothing and holes are known.
create table device_epoch (
  sensor_num integer not null references sensor (num),
  epoch text collate "C" not null,
  stored int8multirange not null default '{}',
  -- The oldest record that the device still holds: below it there are no holes to fill.
  first_q bigint not null default 1,
  touched_at timestamptz not null,
  primary key (sensor_num, epoch)
) with (fillfactor = 70);

-- What a killed gateway left behind: sensors that were connected then.
create index sensor_connected on sensor (id) where is_connected;
