-- Update tasks: one row per request for a firmware on a sensor, from the assignment to its outcome (ADR 0019).
create table update_task (
  -- The job that the device knows.
  id uuid primary key,
  sensor_num integer not null references sensor (num),
  firmware_id uuid not null references firmware (id),
  -- The desired version: whether it runs in the end is what decides.
  version text not null,
  state text not null,
  created_at timestamptz not null,
  -- Who assigned it; for the first firmware of an enrolled sensor the owner of the init token.
  created_by uuid not null references account (id),
  changed_at timestamptz not null,
  -- Without an outcome by then it has failed.
  deadline timestamptz not null,
  -- As it was offered, signed; never changes.
  manifest jsonb,
  -- Withdrawn: number of the desired state without it, and when silence of the device counts as obedience.
  withdrawn_rev integer,
  settles_at timestamptz,
  -- Number and content of the device's last report.
  report_n bigint,
  report_state text,
  report_ok boolean,
  -- Why it ended as it did.
  info text,
  -- Updates through the sensor's REST interface: when the request was about to be sent. Set once; it is never sent twice
  -- (ADR 0019).
  asked_at timestamptz
) with (fillfactor = 70);
create index update_task_by_sensor on update_task (sensor_num, id);
create unique index update_task_waiting on update_task (sensor_num) where state = 'waiting';
create index update_task_open on update_task (deadline)
  where state not in ('done', 'failed', 'expired', 'canceled');
create index update_task_withdrawn on update_task (settles_at) where state = 'withdrawn';
-- A device may be busy with one task, and one more may wait behind it: neither can exist twice.
create unique index update_task_at_work on update_task (sensor_num)
  where state in ('offered', 'initiated', 'downloading', 'downloaded', 'running', 'proving', 'withdrawn', 'asked', 'accepted');
-- The task that has waited longest is looked for each minute, and there is nearly always none: that must not cost a look at
-- all that wait.
create index update_task_waiting_since on update_task (created_at) where state = 'waiting';
