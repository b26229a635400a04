-- When what a mail was about ended, and the entry of the log that says so; without an entry where the sensor was handed over, or where
-- monitoring or the check was switched off. A mail about such an entry is the all-clear.
alter table alert
  add column over_at timestamptz,
  add column over_by uuid references monitoring_status (id);
-- Of what was mailed before, only the present states get an all-clear.
update alert a set over_at = now() where not exists (select from sensor_issue i where i.status_id = a.status_id);
-- What was in one mail.
create index alert_by_mail on alert (recipient, sent_at) where sent_at is not null;
