-- Tunnels to sensors, and the processes that hold them.

-- A process that stops saying that it lives is dead, and so are its tunnels.
create table tunnel_host (
  id uuid primary key,
  -- By the database's own clock.
  seen_at timestamptz not null
);

-- Sensors that have or had a tunnel: for these the server decides whether PS.Connect is connected.
create table tunnel (
  sensor_num integer primary key references sensor (num),
  -- The newest tunnel of the sensor.
  id uuid not null,
  -- Who holds it; null when it is closed.
  host_id uuid,
  opened_at timestamptz not null
) with (fillfactor = 80);
create index tunnel_by_host on tunnel (host_id) where host_id is not null;
