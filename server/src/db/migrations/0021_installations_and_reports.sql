-- Installations as lists of sensors are filtered by them, and weekly reports by e-mail.

-- In a word, written together with `update_task`; null without a task. A plain column with its own index: what `update_task`
-- holds does not tell a finished task of an APS from one that its REST interface merely accepted.
alter table sensor add column installation text;
update sensor s set installation = case
    when t.state = 'done' then 'done'
    when t.state in ('failed', 'expired') then 'failed'
    when t.state = 'canceled' then 'canceled'
    when t.state in ('downloading', 'downloaded', 'running', 'proving') then 'installing'
    when t.state = 'withdrawn' and t.report_state <> 'INITIATE' then 'installing'
    else 'waiting' end
  from update_task t where t.sensor_num = s.num and t.id = (s.update_task ->> 'id')::uuid;

-- With the mark of the deleted, so that most sensors (those that are done) are counted in the index alone (as ADR 0014).
create index sensor_by_installation on sensor (installation, id) include (is_deleted) where installation is not null;
create index sensor_by_license on sensor (license_monitoring, id) where not is_deleted;
create index sensor_unconnected on sensor (id) where not is_connected;
-- Few at any time, whatever the size of the fleet.
create index sensor_not_responding on sensor (owner_path, id) where is_connected and not_responding;

-- The weekly report by e-mail: a row for each login that has it switched on (ADR 0021).
create table weekly_report (
  credential_id uuid primary key references credential (id) on delete cascade,
  -- The Monday on which the next one is due, as a local day (days since 1970): what was due before is done with.
  monday integer not null,
  -- When to look next: no zone's Monday 7:00 of that day is earlier.
  check_at timestamptz not null
);
create index weekly_report_due on weekly_report (check_at, credential_id);

-- Where a mail's reader ends such mails with one request (RFC 8058); cleared with the bodies.
alter table mail_outbox add column unsubscribe_url text;
