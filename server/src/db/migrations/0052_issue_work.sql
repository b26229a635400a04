-- Work on open issues: who takes care of one, notes, snoozing. The list of open issues reads only sensor_issue, because joining
-- sensors, log entries and locations of 100,000 issues takes too long.
alter table sensor_issue
  -- The log entry with which the issue began, and when the outage or obstruction began, if known.
  add column opened_id uuid,
  add column opened_ms bigint not null default 0,
  -- Copies from the log entry.
  add column started_ms bigint not null default 0,
  add column is_acknowledged boolean not null default false,
  add column location_id uuid,
  -- Copies from the sensor. Null if the sensor has changed its owner since, or was deleted: the next check ends such a state.
  add column sensor_id text collate "C",
  add column owner_id uuid,
  add column owner_path text collate "C",
  add column assignee_id uuid references credential (id) on delete set null,
  add column snoozed_until timestamptz;
update sensor_issue i set opened_id = m.id,
    opened_ms = least(m.start_ms, coalesce((extract(epoch from (m.facts ->> 'since')::timestamptz) * 1000)::bigint, m.start_ms)), started_ms = m.start_ms,
    is_acknowledged = m.acknowledged_at is not null, location_id = m.location_id, sensor_id = s.id,
    owner_id = s.owner_id, owner_path = s.owner_path
  from monitoring_status m join sensor s on s.num = m.sensor_num
  where m.id = i.status_id and not s.is_deleted and to_timestamp(m.start_ms / 1000.0) >= s.visible_from;

create index sensor_issue_worst on sensor_issue (issue_status, is_acknowledged, opened_ms, status_id) where owner_path is not null;
create index sensor_issue_by_age on sensor_issue (opened_ms, status_id) where owner_path is not null;
create index sensor_issue_by_sensor on sensor_issue (sensor_id) where owner_path is not null;
-- Counts without reading the table.
create index sensor_issue_by_path on sensor_issue (owner_path, issue_status) include (snoozed_until) where owner_path is not null;
create index sensor_issue_by_owner on sensor_issue (owner_id);
create index sensor_issue_by_assignee on sensor_issue (assignee_id, owner_id) where assignee_id is not null;
create index sensor_issue_snoozed on sensor_issue (snoozed_until) where snoozed_until is not null;

create function follow_sensor_of_issue() returns trigger language plpgsql as $$
begin
  if old.owner_id <> new.owner_id or new.is_deleted then
    update sensor_issue set owner_id = null, owner_path = null, assignee_id = null, snoozed_until = null
      where sensor_num = new.num;
  else
    update sensor_issue set owner_path = new.owner_path where sensor_num = new.num and owner_path is not null;
  end if;
  return null;
end $$;
create trigger sensor_issue_follow after update of owner_id, owner_path, is_deleted on sensor for each row
  when (old.owner_id <> new.owner_id or old.owner_path <> new.owner_path or (new.is_deleted and not old.is_deleted))
  execute function follow_sensor_of_issue();

create function unassign_deleted_login() returns trigger language plpgsql as $$
begin
  update sensor_issue set assignee_id = null where assignee_id = new.id;
  return null;
end $$;
create trigger credential_unassign after update of is_deleted on credential for each row
  when (new.is_deleted and not old.is_deleted) execute function unassign_deleted_login();

-- The log entry with which the issue began. Null for earlier entries, which are their own issue.
alter table monitoring_status add column opened_id uuid;

-- Readable by those who may view sensors of the account that owned the sensor at the time.
create table issue_note (
  id uuid primary key,
  issue_id uuid not null references monitoring_status (id),
  owner_id uuid not null references account (id),
  at timestamptz not null,
  account_id uuid not null references account (id),
  credential_id uuid references credential (id) on delete set null,
  text text not null
);
create index issue_note_by_issue on issue_note (issue_id, id);
create index issue_note_by_credential on issue_note (credential_id) where credential_id is not null;
