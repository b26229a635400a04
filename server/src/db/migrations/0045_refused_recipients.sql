-- What a mail server or a reader's rights decide about reports (docs/rules/reports.md).

-- The mail server refused the recipient for good, not only this mail.
alter table mail_outbox add column is_refused boolean not null default false;

-- The sensors that the PDF names: a reader must be allowed to view all of them.
alter table report_run add column sensor_ids text[] not null default '{}';
