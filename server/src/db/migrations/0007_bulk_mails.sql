-- Mails of which many are queued at once (invitations of an import) let all others pass.
alter table mail_outbox add column bulk boolean not null default false;
drop index mail_outbox_due;
create index mail_outbox_due on mail_outbox (bulk, not_before) where sent_at is null;
