-- Indexes of sensors by how long they have been out of contact, and by the firmware that was assigned to them last (ADR 0014, 0019).

-- `last_contact_at` itself must not be in an index. Connected sensors renew it every minute, and each renewal would then write to all
-- indexes of the table. `silent_since` and `never_connected` change only when a sensor connects or disconnects.
alter table sensor
  add column silent_since timestamptz generated always as (case when not is_connected then last_contact_at end) stored,
  add column never_connected boolean not null
    generated always as (not is_connected and last_contact_at is null) stored,
  -- Canceling a task removes the firmware from the sensor, but the firmware's rollout still shows the sensor as canceled.
  add column rollout_id uuid generated always as (case when firmware_id is not null then firmware_id
    when installation = 'canceled' then (update_task ->> 'artifactID')::uuid end) stored;

create index sensor_silent on sensor (silent_since, id) include (is_deleted) where silent_since is not null;
create index sensor_never_connected on sensor (id) include (is_deleted) where never_connected;
-- The totals of a rollout are index-only scans of these two indexes, regardless of what the caller may view (ADR 0019).
create index sensor_by_rollout on sensor (rollout_id, installation, id) include (is_deleted, owner_id, owner_path)
  where rollout_id is not null;
drop index sensor_by_running;
create index sensor_by_running on sensor (firmware_running_id, id) include (is_deleted, owner_id, owner_path)
  where firmware_running_id is not null;
