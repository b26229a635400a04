-- When the status of an alert ended, and the log entry about its end. A mail about this entry is an all-clear. The entry is null if the
-- sensor changed owner, or if monitoring or the check was switched off.
alter table alert
  add column over_at timestamptz,
  add column over_by uuid references monitoring_status (id);
-- Among existing alerts, only those with a current status get an all-clear.
update alert a set over_at = now() where not exists (select from sensor_issue i where i.status_id = a.status_id);
-- Finds the alerts of one mail.
create index alert_by_mail on alert (recipient, sent_at) where sent_at is not null;
