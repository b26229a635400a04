-- Tunnels to sensors, and the processes that keep them open.

-- Heartbeat of each process. Without updates, the process and its tunnels are considered dead.
create table tunnel_host (
  id uuid primary key,
  -- Time of the database's clock.
  seen_at timestamptz not null
);

-- Sensors that have or had a tunnel. For them the server, not the device, determines whether PS.Connect is connected.
create table tunnel (
  sensor_num integer primary key references sensor (num),
  -- The newest tunnel of the sensor.
  id uuid not null,
  -- The process that keeps it open. Null if it is closed.
  host_id uuid,
  opened_at timestamptz not null
) with (fillfactor = 80);
create index tunnel_by_host on tunnel (host_id) where host_id is not null;
