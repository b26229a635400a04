-- Paused installations, and how fast the installations of a firmware finish (ADR 0019).

-- When a paused task was resumed. Its waiting time starts when it is resumed, not when it is assigned.
alter table update_task add column resumed_at timestamptz;

-- A paused task is also a waiting one, so a sensor can't have both.
drop index update_task_waiting;
create unique index update_task_waiting on update_task (sensor_num) where state in ('waiting', 'paused');
-- Finds tasks with an expired deadline. The search runs every minute, so it must not read all paused tasks.
drop index update_task_open;
create index update_task_open on update_task (deadline)
  where state not in ('paused', 'done', 'failed', 'expired', 'canceled');
drop index update_task_waiting_since;
create index update_task_waiting_since on update_task (coalesce(resumed_at, created_at)) where state = 'waiting';
-- Finds the latest finished tasks of a rollout, from which its pace is computed.
create index update_task_done on update_task (firmware_id, changed_at) where state = 'done';

-- Includes `is_connected`, because rollouts show how many sensors are connected. This causes no extra writes, because `silent_since`
-- changes at the same time, and then all indexes are written anyway.
drop index sensor_by_rollout;
create index sensor_by_rollout on sensor (rollout_id, installation, id)
  include (is_deleted, is_connected, owner_id, owner_path) where rollout_id is not null;
