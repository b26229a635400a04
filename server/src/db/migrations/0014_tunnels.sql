-- Processes that hold tunnels. One that stops saying so is dead, and so are its tunnels.
create table tunnel_host (
  id uuid primary key,
  -- By the database's own clock.
  seen_at timestamptz not null
);

-- Sensors that have or had a tunnel: for these the server decides whether PS.Connect is connected (decisions 13).
create table tunnel (
  sensor_num integer primary key references sensor (num),
  -- The newest tunnel of the sensor.
  id uuid not null,
  -- Who holds it; null when it is closed.
  host_id uuid,
  opened_at timestamptz not null
) with (fillfactor = 80);
create index tunnel_by_host on tunnel (host_id) where host_id is not null;

-- Updates through the sensor's REST interface: when it was about to be asked. Set once; there is no second question.
alter table update_task add column asked_at timestamptz;
drop index update_task_at_work;
create unique index update_task_at_work on update_task (sensor_num)
  where state in ('offered', 'initiated', 'downloading', 'downloaded', 'running', 'proving', 'withdrawn', 'asked', 'accepted');
