-- Mails that were queued when a backup was made wait after its restore until an operator releases or deletes them.
-- serves from: 0056
alter table mail_outbox add column is_held boolean not null default false;
