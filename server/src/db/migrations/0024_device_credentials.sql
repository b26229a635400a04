-- Devices that get a new password because their sensor changed hands. The row goes when the device has connected with it.
create table device_renewal (
  sensor_num integer primary key references device (sensor_num) on delete cascade,
  -- All three empty until the device is there to be told: the order, and its password as a hash and, sealed, to be told again.
  id uuid,
  secret_hash bytea,
  secret_sealed bytea,
  check (num_nulls(id, secret_hash, secret_sealed) in (0, 3))
);

-- Whether the device signed a certificate request with its key; a key that was only named proves nothing against one that signed.
alter table device add column key_is_proved boolean not null default false;
