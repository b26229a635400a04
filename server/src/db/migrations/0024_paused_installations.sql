-- Installations that are held back, and how fast those of a firmware end (ADR 0019).

-- From when on a task may begin again: its time counts from there, and no longer from its assignment.
alter table update_task add column resumed_at timestamptz;

-- One that is held waits, too: no second one beside it.
drop index update_task_waiting;
create unique index update_task_waiting on update_task (sensor_num) where state in ('waiting', 'paused');
-- Time that is over is looked for each minute, and must not cost a look at all that are held.
drop index update_task_open;
create index update_task_open on update_task (deadline)
  where state not in ('paused', 'done', 'failed', 'expired', 'canceled');
drop index update_task_waiting_since;
create index update_task_waiting_since on update_task (coalesce(resumed_at, created_at)) where state = 'waiting';
-- The pace of a rollout: the last ones that were done.
create index update_task_done on update_task (firmware_id, changed_at) where state = 'done';

-- With the connection, as a rollout tells who is there: it changes with `silent_since`, so that this index is written then anyway.
drop index sensor_by_rollout;
create index sensor_by_rollout on sensor (rollout_id, installation, id)
  include (is_deleted, is_connected, owner_id, owner_path) where rollout_id is not null;
