-- Several gateways on one database (docs/rules/devices.md#several-gateways).
-- Running gateways. Each renews its row; a row that was not renewed belongs to a process that was killed.
create table gateway (
  id uuid primary key,
  -- Whether it shares an external broker with all other gateways, so that each of them reaches every sensor.
  is_external boolean not null,
  alive_until timestamptz not null
);

-- The newest connection of each device to an embedded broker. The row stays when the connection ends.
create table device_connection (
  sensor_num integer primary key references sensor (num),
  -- Rises with each admitted connection. Writes and notifications of connections with lower numbers are outdated.
  number integer not null,
  -- The gateways that hold this connection and held the one before. They have no foreign keys, because rows of stopped gateways are
  -- deleted.
  gateway_id uuid,
  former_gateway_id uuid
) with (fillfactor = 50);

alter table device
  -- Session ids of the last announced deaths. With several clients of an external broker, they may arrive before their births.
  add column dead_sids text[] not null default '{}',
  -- Whether an external broker has confirmed the password. If not, the device has not received it and may enroll again.
  add column is_provisioned boolean not null default true;
