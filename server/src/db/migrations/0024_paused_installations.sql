-- Paused installations, and the pace at which the installations of a firmware finish (ADR 0019).

-- When a paused task was resumed: its waiting time counts from there instead of its assignment.
alter table update_task add column resumed_at timestamptz;

-- A paused task counts as waiting: no second one may exist.
drop index update_task_waiting;
create unique index update_task_waiting on update_task (sensor_num) where state in ('waiting', 'paused');
-- Every minute, tasks with an expired deadline are searched; that must not read all paused tasks.
drop index update_task_open;
create index update_task_open on update_task (deadline)
  where state not in ('paused', 'done', 'failed', 'expired', 'canceled');
drop index update_task_waiting_since;
create index update_task_waiting_since on update_task (coalesce(resumed_at, created_at)) where state = 'waiting';
-- For the pace of a rollout: its latest finished tasks.
create index update_task_done on update_task (firmware_id, changed_at) where state = 'done';

-- Includes `is_connected`, because rollouts show how many sensors are connected. That costs no extra writes: `silent_since` changes
-- at the same time, and then all indexes are written anyway.
drop index sensor_by_rollout;
create index sensor_by_rollout on sensor (rollout_id, installation, id)
  include (is_deleted, is_connected, owner_id, owner_path) where rollout_id is not null;
