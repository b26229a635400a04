-- Who waits longest is looked for each minute, and is nearly always nobody: that must not cost a look at all who wait.
create index update_task_waiting_since on update_task (created_at) where state = 'waiting';
