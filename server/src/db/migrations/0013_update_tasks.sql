-- Update tasks: one row per request for a firmware on a sensor, from the assignment to its outcome (ADR 0019).
create table update_task (
  -- Id of the job in messages to and from the device.
  id uuid primary key,
  sensor_num integer not null references sensor (num),
  firmware_id uuid not null references firmware (id),
  -- The desired version. The outcome depends on whether the sensor runs it in the end.
  version text not null,
  state text not null,
  created_at timestamptz not null,
  -- The account that assigned the firmware. For the first firmware after enrollment, the owner of the init token.
  created_by uuid not null references account (id),
  changed_at timestamptz not null,
  -- A task without an outcome at this time has failed.
  deadline timestamptz not null,
  -- The signed manifest as offered, which never changes.
  manifest jsonb,
  -- Set when the task is withdrawn: the revision of the desired state without the task, and the time after which a silent device is
  -- assumed to have obeyed.
  withdrawn_rev integer,
  settles_at timestamptz,
  -- Number and content of the device's last report.
  report_n bigint,
  report_state text,
  report_ok boolean,
  -- Reason for the outcome.
  info text,
  -- When the request to the sensor's REST interface was about to be sent. Set once, because the request is never repeated (ADR 0019).
  asked_at timestamptz
) with (fillfactor = 70);
create index update_task_by_sensor on update_task (sensor_num, id);
create unique index update_task_waiting on update_task (sensor_num) where state = 'waiting';
create index update_task_open on update_task (deadline)
  where state not in ('done', 'failed', 'expired', 'canceled');
create index update_task_withdrawn on update_task (settles_at) where state = 'withdrawn';
-- At most one active task per sensor; update_task_waiting allows one more that waits.
create unique index update_task_at_work on update_task (sensor_num)
  where state in ('offered', 'initiated', 'downloading', 'downloaded', 'running', 'proving', 'withdrawn', 'asked', 'accepted');
-- Finds tasks that have waited too long. The search runs every minute, nearly always without a result, so it must not read all waiting
-- tasks.
create index update_task_waiting_since on update_task (created_at) where state = 'waiting';
