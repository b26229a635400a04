-- The installation state, by which lists of sensors can be filtered, and weekly reports by email.

-- State of the last task, written together with `update_task`. Null without a task. It has its own column, because `update_task` does
-- not distinguish a finished task of an APS from one that its REST interface has only accepted.
alter table sensor add column installation text;
update sensor s set installation = case
    when t.state = 'done' then 'done'
    when t.state in ('failed', 'expired') then 'failed'
    when t.state = 'canceled' then 'canceled'
    when t.state in ('downloading', 'downloaded', 'running', 'proving') then 'installing'
    when t.state = 'withdrawn' and t.report_state <> 'INITIATE' then 'installing'
    else 'waiting' end
  from update_task t where t.sensor_num = s.num and t.id = (s.update_task ->> 'id')::uuid;

-- Includes `is_deleted`, so that finished installations, which most sensors have, are counted by an index-only scan (ADR 0014).
create index sensor_by_installation on sensor (installation, id) include (is_deleted) where installation is not null;
create index sensor_by_license on sensor (license_monitoring, id) where not is_deleted;
create index sensor_unconnected on sensor (id) where not is_connected;
-- Always small, whatever the size of the fleet.
create index sensor_not_responding on sensor (owner_path, id) where is_connected and not_responding;

-- Weekly reports by email, with a row for each login that has subscribed (ADR 0021).
create table weekly_report (
  credential_id uuid primary key references credential (id) on delete cascade,
  -- The Monday on which the next report is due, as a local day (days since 1970). Reports of earlier Mondays are sent or skipped.
  monday integer not null,
  -- Time of the next check, not later than 7:00 on that Monday in any time zone.
  check_at timestamptz not null
);
create index weekly_report_due on weekly_report (check_at, credential_id);

-- URL for unsubscribing with one request (RFC 8058). Cleared together with the bodies.
alter table mail_outbox add column unsubscribe_url text;
